/**
 * What the paste box says, by the language of the page. Text between backticks is shown as code.
 * The rest of the home page is written in website/home.py.
 */
const ENGLISH = {
  label: "Paste an error or a whole traceback",
  empty: "Paste the whole output of the program, a message, or say what you see: “my loss is not decreasing”.",
  placeholder: "Traceback (most recent call last): …",
  private: "Your text stays in this browser: it is neither sent nor stored.",
  explain: "Explain",
  example: "Try an example",
  link: "Copy link",
  clear: "Clear",
  error: (line, ranks) =>
    ["Your error", line && `line ${line}`, ranks > 1 && `on ${ranks} ranks`].filter(Boolean).join(", "),
  happened: "What happened",
  fix: "Smallest fix",
  page: "Full explanation, other causes, runnable scripts",
  also: "See also: ",
  others: "Other errors in this text:",
  other: (line) => `Line ${line}: `,
  unknown: "No entry matches this error.",
  read: {
    error: "Your error",
    operation: "Operation",
    shapes: "Shapes",
    dtypes: "Dtypes",
    devices: "Devices",
    frame: "Your line",
  },
  described: "No message in this text. Nearest to it by words:",
  nothingNear: "Nothing in the guide has the words of this text.",
  nearest: "Nearest entries by words, which may be about something else:",
  symptom: "Symptom: ",
  causes: "Most frequent causes:",
  workflow: "Find out which: the workflow",
  checklist: "To find the cause step by step: ",
  toChecklist: "five-minute checklist",
  shares: (words) => `shares: ${words.join(", ")}`,
  prompt: {
    copy: "Copy as a prompt",
    preview: (title) => `Preview (template: ${title})`,
    shown: "The prompt as it will be copied",
    redacted: (kinds) => `Redacted: ${kinds.join(", ")}.`,
    nothingRedacted: "No secrets or names found.",
    copied: "Prompt copied. Fill in what is between << and >>, and read it once more before you send it.",
    notCopied: "The browser blocked copying. The prompt is selected: press Ctrl+C or ⌘C.",
    /** What was taken out, by the names of the rules. @type {Record<string, (count: number) => string>} */
    kinds: {
      "private key": counted("private key", "private keys"),
      token: counted("token", "tokens"),
      secret: counted("secret", "secrets"),
      "e-mail address": counted("e-mail address", "e-mail addresses"),
      "user and host": counted("user with host", "users with hosts"),
      "home folder": counted("home folder", "home folders"),
      "host name": counted("host name", "host names"),
      "network address": counted("network address", "network addresses"),
      "user name": counted("user name", "user names"),
    },
  },
  copied: "Link copied. It contains your text, so anyone with the link can read it.",
  notCopied: "The browser blocked copying. The link is in the address bar.",
  tooLong: (most) => `The text is too long for a link (at most ${most} characters). Keep only the last exception.`,
  nothing: "There is no text to share yet.",
  failed: "Could not load the guide's data. Check the connection and try again, or use the table below.",
  badLink: "This link is damaged; its text cannot be read.",
};

/** @type {typeof ENGLISH} */
const CHINESE = {
  label: "粘贴报错或完整的 traceback",
  empty: "请粘贴程序的完整输出、一条报错，或者描述看到的现象，例如“loss 不下降”。",
  placeholder: "Traceback (most recent call last): …",
  private: "文本只留在本浏览器中，不会被发送，也不会被保存。",
  explain: "解释",
  example: "试试示例",
  link: "复制链接",
  clear: "清空",
  error: (line, ranks) => {
    const where = [line && `第 ${line} 行`, ranks > 1 && `共 ${ranks} 个 rank`].filter(Boolean).join("，");
    return where ? `你的报错（${where}）` : "你的报错";
  },
  happened: "发生了什么",
  fix: "最小改动",
  page: "完整说明、其他原因和可运行的脚本",
  also: "另见：",
  others: "文本中的其他报错：",
  other: (line) => `第 ${line} 行：`,
  unknown: "报错手册里没有收录这个报错。",
  read: {
    error: "你的报错",
    operation: "算子 / 函数",
    shapes: "形状",
    dtypes: "数据类型",
    devices: "设备",
    frame: "你的代码",
  },
  described: "这段文本里没有报错信息。按用词，最接近的是：",
  nothingNear: "手册里没有和这段文本用词相近的内容。",
  nearest: "按用词最接近的条目（不一定是同一个问题）：",
  symptom: "现象：",
  causes: "最常见的原因：",
  workflow: "按排查流程确定是哪一个",
  checklist: "逐步排查：",
  toChecklist: "五分钟检查清单",
  shares: (words) => `共同的词：${words.join("、")}`,
  prompt: {
    copy: "复制为提示词",
    preview: (title) => `预览（模板：${title}）`,
    shown: "将要复制的提示词",
    redacted: (kinds) => `已隐去：${kinds.join("、")}。`,
    nothingRedacted: "没有发现密钥或名称。",
    copied: "提示词已复制。请填写 << 和 >> 之间的内容，发送之前再读一遍。",
    notCopied: "浏览器不允许复制。提示词已选中，请按 Ctrl+C 或 ⌘C 复制。",
    kinds: {
      "private key": (count) => `${count} 个私钥`,
      token: (count) => `${count} 个令牌`,
      secret: (count) => `${count} 个密钥或密码`,
      "e-mail address": (count) => `${count} 个邮箱地址`,
      "user and host": (count) => `${count} 处用户名和主机名`,
      "home folder": (count) => `${count} 处主目录`,
      "host name": (count) => `${count} 处主机名`,
      "network address": (count) => `${count} 处网络地址`,
      "user name": (count) => `${count} 处用户名`,
    },
  },
  copied: "链接已复制。链接中包含你的文本，拿到链接的人都能看到。",
  notCopied: "浏览器不允许复制，链接已放到地址栏中。",
  tooLong: (most) => `文本过长，链接最多容纳 ${most} 个字符。请只保留最后一个异常。`,
  nothing: "还没有文本，无法生成链接。",
  failed: "数据加载失败。请检查网络后重试，或者查下面的表格。",
  badLink: "链接已损坏，无法读取其中的文本。",
};

function counted(one, many) {
  return (count) => `${count} ${count === 1 ? one : many}`;
}

/** @param {string} language of the page, such as `en` or `zh-Hans` */
export function textsFor(language) {
  return language.toLowerCase().startsWith("zh") ? CHINESE : ENGLISH;
}
