/**
 * What the prompt builder says, by the language of the page. Text between backticks is shown as code.
 * The rest of its page is written in website/prompt_builder.py, and so are the labels of the blanks.
 */
const ENGLISH = {
  have: "What you have",
  template: "Prompt",
  about: "What to fill in, with an example",
  answered: ["Known error: ", ". The guide's explanation is added to the prompt."],
  unknown: "No entry matches this text, so the prompt contains no explanation.",
  better: (title) => `“${title}” is made for this kind of error.`,
  useBetter: "Use that prompt",
  environmentCommand: "Command that prints it",
  copyCommand: "Copy the command",
  commandCopied: "Command copied.",
  gone: "Nothing you type is stored; closing or reloading the page discards it.",
  prompt: "The prompt",
  shown: "The prompt as it will be copied",
  open: (count) => (count === 1 ? "1 blank left:" : `${count} blanks left:`),
  complete: "All blanks are filled in.",
  shortened: (label, count) => `${label}: too long for a chat, ${count} characters left out of its middle.`,
  hide: "Redact secrets and names",
  taken: (kinds) => `Redacted: ${kinds.join(", ")}. Read the prompt once more before you send it.`,
  nothingTaken: "Found nothing to redact. Read the prompt once more before you send it.",
  notHidden: "Secrets and names stay in the prompt. Chats may be stored and read by others.",
  copy: "Copy the prompt",
  copied: "Prompt copied.",
  notCopied: "The browser blocked copying. The prompt is selected: press Ctrl+C or ⌘C.",
  clear: "Clear",
  cleared: "All fields are cleared.",
  failed: ["Could not load the guide's data. Reload the page, or copy one of the ", "prompts", "."],
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
};

/** @type {typeof ENGLISH} */
const CHINESE = {
  have: "你手头的信息",
  template: "提示词",
  about: "各个空的含义，以及一个例子",
  answered: ["已知错误：", "。指南对它的说明会写进提示词。"],
  unknown: "错误库里没有收录这个报错，提示词不带参考资料。",
  better: (title) => `“${title}”更适合这类报错。`,
  useBetter: "改用这个提示词",
  environmentCommand: "打印环境信息的命令",
  copyCommand: "复制命令",
  commandCopied: "命令已复制。",
  gone: "你输入的内容不会保存，关闭或刷新页面就会清空。",
  prompt: "生成的提示词",
  shown: "将要复制的提示词",
  open: (count) => `还有 ${count} 个空：`,
  complete: "所有的空都填好了。",
  shortened: (label, count) => `${label}太长，中间的 ${count} 个字符已省略。`,
  hide: "隐去密钥和名称",
  taken: (kinds) => `已隐去：${kinds.join("、")}。发送之前请再读一遍。`,
  nothingTaken: "没有发现需要隐去的内容。发送之前请再读一遍。",
  notHidden: "密钥和名称会留在提示词中。聊天内容可能被保存，也可能被别人读到。",
  copy: "复制提示词",
  copied: "提示词已复制。",
  notCopied: "浏览器不允许复制。提示词已选中，请按 Ctrl+C 或 ⌘C 复制。",
  clear: "清空",
  cleared: "所有字段都已清空。",
  failed: ["指南的数据加载失败。请检查网站是否可以访问后重新加载页面，或直接复制某个", "提示词", "。"],
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
};

function counted(one, many) {
  return (count) => `${count} ${count === 1 ? one : many}`;
}

/** @param {string} language of the page, such as `en` or `zh-Hans` */
export function textsFor(language) {
  return language.toLowerCase().startsWith("zh") ? CHINESE : ENGLISH;
}
