/**
 * What the paste box says, by the language of the page. Text between backticks is shown as code.
 * The rest of the home page is written in website/home.py.
 */
const ENGLISH = {
  label: "Paste an error or a whole traceback",
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
  because: (circumstances) => `(because your paste shows ${circumstances.join(", ")})`,
  needs: (version) => `(needs torch ${version} or newer; yours is older)`,
  page: "Full explanation, other causes, runnable scripts",
  also: "See also: ",
  others: "Other errors in this text:",
  other: (line) => `Line ${line}: `,
  log: {
    healthy: (count) => `Nothing unusual in ${count} values of this training log`,
    noSymptom: "That does not prove the training right: only numbers that are in the log were judged.",
    causes: "Its causes, the most frequent first:",
    page: "All causes, and how to tell them apart",
    watch: "To see which it is: ",
    curve: (name, count) => `Curve of ${name}, ${count} values`,
  },
  unknown: "No entry matches this error.",
  read: {
    error: "Your error",
    operation: "Operation",
    shapes: "Shapes",
    dtypes: "Dtypes",
    devices: "Devices",
    frame: "Your line",
  },
  report: {
    found: "What is wrong with this installation",
    nothing: "Nothing is wrong with what this report shows.",
    certain: "Cause",
    likely: "Cause (likely)",
    evidence: "Evidence",
    fine: "Fine:",
    unknown: (topics) => `Not known: ${topics.join(", ")}`,
    most: 4,
  },
  guesses: "Closest entry by shared words (only a guess):",
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
  because: (circumstances) => `（依据：粘贴的内容里有 ${circumstances.join("、")}）`,
  needs: (version) => `（需要 torch ${version} 或更新的版本，你的版本较旧）`,
  page: "完整说明、其他原因和可运行的脚本",
  also: "另见：",
  others: "文本中的其他报错：",
  other: (line) => `第 ${line} 行：`,
  log: {
    healthy: (count) => `训练日志：读到 ${count} 个数值，没有异常`,
    noSymptom: "这不等于训练一定没问题：这里只看日志里有的数值。",
    causes: "可能的原因，常见的在前：",
    page: "全部原因，以及怎样区分",
    watch: "确认是哪一个：",
    curve: (name, count) => `${name} 的曲线，共 ${count} 个数值`,
  },
  unknown: "错误库里没有收录这个报错。",
  read: {
    error: "你的报错",
    operation: "算子 / 函数",
    shapes: "形状",
    dtypes: "数据类型",
    devices: "设备",
    frame: "你的代码",
  },
  report: {
    found: "这个安装的问题",
    nothing: "从这份报告看，没有发现问题。",
    certain: "原因",
    likely: "可能的原因",
    evidence: "依据",
    fine: "正常：",
    unknown: (topics) => `未知：${topics.join("、")}`,
    most: 4,
  },
  guesses: "用词最接近的条目（仅供参考）：",
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
