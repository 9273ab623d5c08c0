/** Texts of the filters on the page of all errors, for each language. website/all_errors.py writes the table itself. */
const ENGLISH = {
  filters: "Filters",
  words: "Words",
  hint: "of a message, a title or a symptom",
  category: "Category",
  kind: "Kind",
  hardware: "Hardware",
  all: "all",
  kinds: { exception: "exception", warning: "warning", silent: "silent failure" },
  needs: {
    anywhere: "runs anywhere",
    cuda: "needs a CUDA GPU",
    mps: "needs an Apple GPU",
    xpu: "needs the build of PyTorch for Intel GPUs",
    posix: "needs Linux or macOS",
    linux: "needs Linux",
    windows: "needs Windows",
    namespaces: "needs Linux, and root or user namespaces",
    compiler: "needs ninja and a C++ compiler",
    multicore: "needs at least two CPU cores",
  },
  package: (name) => `needs the package ${name}`,
  option: (text, count) => `${text} (${count})`,
  reset: "Reset",
  shown: (shown, all) => (shown === all ? `${all} entries` : `${shown} of ${all} entries`),
  none: "No entry matches.",
  ask: ["Paste the whole error into the ", "paste box", ", which also knows other wordings, or reset the filters."],
};

/** @type {typeof ENGLISH} */
const CHINESE = {
  filters: "筛选",
  words: "关键词",
  hint: "报错、标题或症状中的词",
  category: "类别",
  kind: "类型",
  hardware: "硬件",
  all: "全部",
  kinds: { exception: "异常", warning: "警告", silent: "静默失败" },
  needs: {
    anywhere: "不限",
    cuda: "需要 CUDA GPU",
    mps: "需要 Apple GPU",
    xpu: "需要 Intel GPU 版 PyTorch",
    posix: "需要 Linux 或 macOS",
    linux: "需要 Linux",
    windows: "需要 Windows",
    namespaces: "需要 Linux，以及 root 权限或用户命名空间",
    compiler: "需要 ninja 和 C++ 编译器",
    multicore: "需要至少两个 CPU 核",
  },
  package: (name) => `需要安装 ${name}`,
  option: (text, count) => `${text}（${count}）`,
  reset: "重置",
  shown: (shown, all) => (shown === all ? `共 ${all} 个条目` : `显示 ${shown} 个条目，共 ${all} 个`),
  none: "没有符合条件的条目。",
  ask: ["可以把完整的报错粘贴到", "粘贴框", "，它还认得其他说法；也可以重置筛选条件。"],
};

/** @param {string} language language of the page, such as `en` or `zh-Hans` */
export function textsFor(language) {
  return language.toLowerCase().startsWith("zh") ? CHINESE : ENGLISH;
}
