import type { LocalFileWords, PlaceWords, ProgramWords, WantedMedia } from '../../en/problems/places.ts';
import { problemsZh } from '../problems.ts';
import { systemCodeZh } from './system-codes.ts';

const NAMES: Readonly<Record<WantedMedia, string>> = { image: '图片', audio: '录音' };

const NAME_IT_THERE = '请将它复制到这台电脑，并填写复制后的路径。';
const NO_ROOM = '磁盘没有空间存放上传用的副本。';

export const localFileZh: LocalFileWords = {
  broken: (type, why) => `它是 ${type}，但已损坏或不完整（${why}）。`,
  otherType: (media, is) => `它应为${NAMES[media]}，却是 ${is}。`,
  otherKind: (media, why) => `它应为${NAMES[media]}，实际却不是（${why}）。`,
  unchecked: (why) => `无法核实它（${why}）。`,
  folder: '它是文件夹。请填写其中的文件。',
  pipe: '它是管道，而不是文件。',
  socket: '它是套接字，而不是文件。',
  device: '它是设备，而不是文件。',
  notPlain: '它已不再是普通文件。',
  empty: '它是空的。',
  tooLarge: (size, most) => `它有 ${size}，超过其存放处允许的 ${most}（maxMegabytes）。`,
  otherFolder: '它不在允许的任何来源文件夹中（folders）。',
  grows: '读取时它仍在变大。',
  changed: '读取时它被更改了。',
  EACCES: '你没有读取它的权限。',
  EPERM: '你没有读取它的权限。',
  ELOOP: '其路径包含循环链接。',
  ENOTDIR: '其路径的一部分是文件，而不是文件夹。',
  ENAMETOOLONG: '其路径太长。',
  EIO: '磁盘报告了错误。',
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  ENOENT: '没有这样的文件。',
  unreadable: (code) => `无法读取它（${systemCodeZh(code)}）。`,

  named: (column, file, why) => `“${column}”指定了文件${file}。${why}`,
  correctPath: '请更正路径或文件。相对路径以表格所在的文件夹为起点；网址以 https:// 开头。',
  unmakable: (column, reference, why) => `“${column}”需要${reference}，即 ffmpeg 用该行的文件制作的图片：${why}。`,
  correctPicture: '请更正，或使用图片的网址。',
  folderIsBucket: '其媒体文件夹是存储桶，不在这台电脑上',
  noFfmpeg: '这台电脑上没有 ffmpeg',

  nul: '其路径含有 NUL 字符。',
  elsewhere: '它在另一台电脑上。请将它复制到这台电脑或表格所在的文件夹，并填写复制后的路径。',
  elsewhereToo: `它在另一台电脑上。${NAME_IT_THERE}`,
  ofWindows: '这是 Windows 的路径，而这台电脑没有盘符。请填写文件在这里的路径。',
  noFolderOfDrive: '它的含义取决于程序在何处运行。请填写完整路径，例如 C:\\Pictures\\kite.png。',
  otherHome: '~ 只能表示你自己的用户文件夹。',
  noStart: '表格没有自己的文件夹，无法确定相对路径的起点。请填写完整路径。',
  noAddress: '它不是文件的地址。请在 file:/// 之后填写路径。',
  addressOfNone: '其地址不指向这台电脑上的文件。请在 file:/// 之后填写路径。',

  noFolder: '其文件夹也不存在。',
  accents: (name) => `有一个“${name}”，其带重音的字母写法不同：请复制它的名称。`,
  letters: (name) => `有一个“${name}”，只是大小写不同。`,
  percent: (name) => `有一个“${name}”：只有以 file: 开头的地址才用百分号编码。`,
  similar: (name) => `有一个“${name}”。`,

  notMadeOf: (type) => `无法用 ${type} 文件制作它。`,
  notOfBucket: '只能用这台电脑文件夹中的文件制作它。',
  fileGone: (name) => `文件 ${name} 已不在媒体文件夹中。`,
  fileChanged: (name) => `文件 ${name} 到达后被更改了。`,
  needsFfmpeg: '制作它需要这台电脑上有 ffmpeg：请安装，然后重试该行。',
  noCover: '这首歌曲没有封面。',
  noFrame: '这个视频没有画面。',
  tooSlow: 'ffmpeg 制作它耗时过长。',
  notMade: 'ffmpeg 无法制作它。',
};

export const placeZh: PlaceWords = {
  command: (program) => `命令 ${program}`,
  namesTaken: '那里的其他文件已占用它的所有名称。请指定单独的文件夹或前缀。',
  otherContent: (name) => `${name} 给出的不是放在那里的文件。`,
  nowhere: (name) => `${name} 不断重定向到其他地址，没有结果。`,
  silent: (root, code) => `${root} 没有应答（${systemCodeZh(code)}）。`,
  noReason: '原因不明',
  secret: (name, status) =>
    `读取 ${name} 需要密码（HTTP ${status}），因此网关无法读取。请指定任何人都能读取的地址：publicUrl。`,
  notGiven: (name, status) => `${name} 没有给出放在那里的内容（HTTP ${status}）。`,
  slowPut: (minutes) => `放到那里的时间超过 ${minutes} 分钟。`,
  slowRead: (minutes, name) => `读取 ${name} 的时间超过 ${minutes} 分钟。`,
  slowDelete: (minutes) => `删除它的时间超过 ${minutes} 分钟。`,
  notDeleted: (place, why) => `没有从 ${place} 删除：${why}`,
  needsDelete: '要删除文件，还需要 s3:DeleteObject 权限。',

  refused: (root, status) =>
    `${root} 不接受用户名或密码（HTTP ${status}）。请在描述存放处的文件、NOCTURNE_FILES_PASSWORD 或 passwordFile 指定的文件中更正。`,
  noFolder: (root, status) => `${root} 不存在（HTTP ${status}）。请创建该文件夹，或更正 url。`,
  noWebdav: (root, status) => `${root} 不接收文件（HTTP ${status}）。它是 WebDAV 文件夹吗？`,
  tooLarge: (root) => `文件大于 ${root} 允许的大小（HTTP 413）。`,
  full: (root) => `${root} 没有剩余空间（HTTP 507）。`,
  leadsElsewhere: (root, status) => `${root} 重定向到别处（HTTP ${status}）。请填写它指向的地址。`,
  answered: (root, status) => `${root} 以 HTTP ${status} 应答。`,

  ended: (program, how) => `${program} ${how}。`,
  notPrinted: (program, what) => `${program} 应输出一个地址，实际情况是：${what}。`,
  printedNothing: '没有任何输出',
  printedMore: '输出过长',
  printed: (text) => `输出了“${text}”`,
  printedWrong: (rule) => `它输出的地址${problemsZh.must[rule]}`,
  noDeleter: '没有指定用于删除的命令。',

  fileUnusable: (file, lines) => `无法使用文件 ${file}：\n${lines}`,
  fileBucket: (file, why) => `${file} 中的 s3.bucket：${why}`,
  fileNotRegular: (file) => `${file} 不是普通文件。`,
  fileTooLarge: (file) => `${file} 太大。`,
  fileNotText: (file) => `${file} 不是文本文件。`,
  fileNotJson: (file, why) => `${file} 不是 JSON：${why}`,
  fileUnreadable: (file, why) => `无法读取 ${file}：${why}`,
  nameJson: '请指定一个 JSON 文件。',
  nameBucket: '请写成 s3://BUCKET/PREFIX。',
  namePassword: '请指定只含密码的文件。',
  fields: '其字段见文档中的“本机上的文件”。',

  passwordNotPlain: (file) => `密码文件 ${file} 不是普通文件。`,
  passwordOpen: (file) => `这台电脑的其他用户可以读取密码文件 ${file}。请执行：chmod 600 ${file}`,
  passwordUnreadable: (file, why) => `无法读取密码文件 ${file}（${why}）。`,
};

export const programZh: ProgramWords = {
  well: '已正常结束',
  code: (code, says) => `以代码 ${code} 结束${says === '' ? '' : `：${says}`}`,
  signal: (signal, says) => `以信号 ${signal} 结束${says === '' ? '' : `：${says}`}`,
  late: (seconds) => `在 ${seconds} 秒后被终止`,
  notThere: '无法启动：没有这样的程序',
  noProgram: '无法启动：它不是可以运行的程序',
  notStarted: (code) => `无法启动${code === '' ? '' : `（${systemCodeZh(code)}）`}`,
};
