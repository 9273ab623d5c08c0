/**
 * What the prompt builder says, by the language of the page. Text between backticks is shown as code.
 * The rest of its page is written in website/prompt_builder.py, and so are the labels of the blanks.
 */
const ENGLISH = {
  have: "What you have",
  template: "Prompt",
  about: "What its blanks mean, and an example",
  answered: ["Known error: ", ". What the guide says of it goes into the prompt."],
  unknown: "The catalog does not know this text: the prompt goes without a reference.",
  better: (title) => `“${title}” asks for what an error of this kind needs.`,
  useBetter: "Use that prompt",
  environmentCommand: "Command that prints it",
  copyCommand: "Copy the command",
  commandCopied: "The command is copied.",
  gone: "What you type is kept nowhere: it is gone once the page is closed or loaded again.",
  prompt: "The prompt",
  shown: "The prompt, as it is copied",
  open: (count) => (count === 1 ? "1 blank is left:" : `${count} blanks are left:`),
  complete: "Every blank is filled.",
  hide: "Hide secrets and names",
  taken: (kinds) => `Taken out: ${kinds.join(", ")}. Read the prompt once more before you send it.`,
  nothingTaken: "Nothing had to be taken out. Read the prompt once more before you send it.",
  notHidden: "Secrets and names stay in the prompt. A chat may be stored, and read by others.",
  copy: "Copy the prompt",
  copied: "The prompt is copied.",
  notCopied: "The browser did not let the prompt be copied. It is selected now: copy it with Ctrl+C or ⌘C.",
  clear: "Clear",
  cleared: "All fields are empty.",
  failed: ["The data of the guide could not be loaded. Is the site reachable? Load the page again, or copy one of the ", "prompts", "."],
  /** What was taken out, by the names of the rules. @type {Record<string, (count: number) => string>} */
  kinds: {
    "private key": counted("private key", "private keys"),
    "password in an address": counted("password in an address", "passwords in addresses"),
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
  better: (title) => `“${title}”会询问这类错误所需的信息。`,
  useBetter: "改用这个提示词",
  environmentCommand: "打印环境信息的命令",
  copyCommand: "复制命令",
  commandCopied: "命令已复制。",
  gone: "你输入的内容不会保存在任何地方：关闭或重新加载页面之后就没有了。",
  prompt: "生成的提示词",
  shown: "将要复制的提示词",
  open: (count) => `还有 ${count} 个空：`,
  complete: "所有的空都填好了。",
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
    "password in an address": (count) => `${count} 个网址中的密码`,
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
