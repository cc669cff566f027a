/** What the system's error codes mean, inside a sentence. */
const CODES: Readonly<Record<string, string>> = {
  EACCES: '没有权限',
  EPERM: '不允许这样做',
  EROFS: '磁盘是只读的',
  ENOENT: '不存在',
  EEXIST: '已存在',
  ENOTDIR: '路径的一部分不是文件夹',
  EISDIR: '是文件夹',
  ENOTEMPTY: '文件夹不是空的',
  ELOOP: '链接循环',
  ENAMETOOLONG: '名称太长',
  ENOSPC: '磁盘已满',
  EDQUOT: '磁盘配额已用完',
  EFBIG: '文件太大',
  EIO: '磁盘报告了错误',
  EXDEV: '在另一个磁盘上',
  EBUSY: '正被其他程序使用',
  ETXTBSY: '正被其他程序使用',
  EMFILE: '打开的文件过多',
  ENFILE: '打开的文件过多',
  ENOMEM: '内存不足',
  EPIPE: '连接中断',
  ECONNREFUSED: '连接被拒绝',
  ECONNRESET: '连接中断',
  ECONNABORTED: '连接中断',
  EHOSTUNREACH: '无法到达主机',
  ENETUNREACH: '无法到达网络',
  ENETDOWN: '网络不可用',
  ENOTFOUND: '无法解析主机名',
  EAI_AGAIN: '无法解析主机名',
  ETIMEDOUT: '连接超时',
  EADDRINUSE: '端口已被占用',
  UND_ERR_CONNECT_TIMEOUT: '连接超时',
  UND_ERR_HEADERS_TIMEOUT: '应答超时',
  UND_ERR_BODY_TIMEOUT: '传输超时',
  UND_ERR_SOCKET: '连接中断',
  CERT_HAS_EXPIRED: '证书已过期',
  DEPTH_ZERO_SELF_SIGNED_CERT: '证书是自签名的',
  SELF_SIGNED_CERT_IN_CHAIN: '证书链中有自签名的证书',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: '无法核实证书',
  ERR_TLS_CERT_ALTNAME_INVALID: '证书不属于这个主机',
};

/** What SQLite says, as it ends its messages. */
const OF_SQLITE: Readonly<Record<string, string>> = {
  'database or disk is full': '磁盘已满',
  'disk I/O error': '磁盘报告了错误',
  'attempt to write a readonly database': '数据库是只读的',
  'unable to open database file': '无法打开数据库文件',
  'database is locked': '数据库正被占用',
  'database disk image is malformed': '数据库已损坏',
  'file is not a database': '这不是数据库文件',
};

/** An error by its code, if that is known; otherwise what it says, in quotation marks. */
export function systemErrorZh(code: string, message: string): string {
  if (Object.hasOwn(CODES, code)) return systemCodeZh(code);
  const [, words] = Object.entries(OF_SQLITE).find(([text]) => message.endsWith(text)) ?? [];
  return words === undefined ? systemCodeZh(message) : `${words}，“${message}”`;
}

/** A code as it is said with its meaning; one without known meaning, and any other text, in quotation marks. */
export function systemCodeZh(code: string): string {
  if (/\p{Script=Han}/u.test(code)) return code;
  const words = Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  return words === undefined ? `“${code}”` : `${words}，${code}`;
}
