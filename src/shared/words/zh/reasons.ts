import { asSentence, countText } from '../../domain/base/text.ts';
import type { CapOf, ReasonsWords } from '../en/reasons.ts';
import { nightsZh } from './nights.ts';
import { operationsZh } from './operations.ts';
import { gateZh, mediaZh } from './problems/media.ts';
import { systemCodeZh, systemErrorZh } from './problems/system-codes.ts';
import { listZh, reviewRefusalsZh, unsavedZh } from './problems/refusals.ts';
import { storeRemediesZh, storeZh } from './problems/stores.ts';
import { localFileZh, placeZh, programZh } from './problems/places.ts';

const CAP_OF: Readonly<Record<CapOf, string>> = {
  account: '这个账户',
  batch: '该批次',
  night: '一夜',
  month: '一个月',
};

// Records of earlier versions do not say which account: a parameter that is counted would be missing there.
function capOf(of: CapOf, account = ''): string {
  return of === 'account' && account !== '' ? `账户“${account}”` : CAP_OF[of];
}

const RIGHTS = '其权限必须包括 s3:GetObject、s3:PutObject 和 s3:ListBucket。';
const CREDENTIALS =
  'Nocturne 与 AWS 自己的工具一样，从 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY 或 AWS_PROFILE 读取凭证。';
const DOUBT = '因此该请求可能已被接受并扣费。';

const accountAt = (origin: string, name: string): string =>
  name === '' ? ` ${origin} ` : ` ${origin} 上的账户“${name}”`;

const whichRows = (rows: string, isOne: boolean): string => (isOne ? `行 ${rows} ` : `行 ${rows} 之一`);

/** What was tried at a bucket. */
const BUCKET_WORK: Readonly<Record<string, string>> = {
  looking: '查看',
  reading: '读取',
  writing: '写入',
  deleting: '删除',
  listing: '列出',
  'removing parts': '移除分段',
};

/** The title of an operation by its short name; any other text as it is. */
const titleOf = (operation: string): string =>
  Object.hasOwn(operationsZh.submit, operation)
    ? operationsZh.submit[operation as keyof typeof operationsZh.submit].title
    : operation;

export const reasonsZh: ReasonsWords = {
  words: (text) => text,
  system: (code, message) => systemErrorZh(code, message),
  both: (first, second) => `${asSentence(first)}${second}`,

  notReached: (why) => `无法连接到网关，因此没有发送任何内容：${why}。`,
  noAnswerToSubmit: (why) => `请求已发送，但没有收到应答：${why}。它可能已被接受并扣费。`,
  noAnswer: (why) => `网关没有应答：${why}。`,
  deadline: (seconds) => `已超过 ${seconds} 秒的期限`,
  aborted: '请求已中止',
  cut: { tooLong: '长于 1 MiB', damaged: '压缩数据已损坏或中断', notText: '不是文本' },
  cutEncoding: (encoding) => `无法读取其编码（${encoding}）`,
  plainHttp: (address) => `普通 http 会将密钥以未加密的方式发送到 ${address}；请使用 https`,
  unansweredBody: (httpStatus, body) => `网关以 HTTP ${httpStatus} 应答，内容为${body}。`,
  body: {
    brokenOff: '中断的正文',
    notWhole: '不完整的正文',
    notObject: '不是对象的 JSON',
    empty: '空的正文',
    webPage: '网页，而不是 JSON',
    notJson: '不是 JSON 的正文',
  },
  bodyTooDeep: (levels) => `超过 ${levels} 层的 JSON`,
  bodyBecause: (body, why) => `${body}（${why}）`,
  saidNothing: (httpStatus, code) =>
    `网关以 HTTP ${httpStatus}${code === '' ? '' : `、代码 ${code}`} 应答，没有其他说明。`,
  redirectsElsewhere: '它重定向到别处。',
  balanceNowhere: '网关配置没有说明网关在何处给出余额。',
  noAmount: (field) => `应答在 ${field} 处没有金额。`,
  redirects: '它重定向到别处，Nocturne 不会跟随。',
  noSuchOperation: '这个地址没有这样的操作：请检查基础网址。',
  mayBeCharged: '该请求可能已被接受并扣费。',
  saysBoth: `应答同时表示成功和失败，${DOUBT}`,
  namesBoth: `应答同时给出任务编号和失败，${DOUBT}`,
  codeElsewhere: `应答给出了任务编号，但不在配置文件所指的位置，${DOUBT}`,
  holdsResult: `应答包含 Nocturne 不理解的结果，${DOUBT}`,
  saysAccepted: `应答表示已接受某项内容，${DOUBT}`,
  noTaskCode: `应答没有给出任务编号，${DOUBT}`,
  refusedInWords: (times) => `网关拒绝了 ${times} 次，但从未使用 HTTP 429：每个请求都可能已被接受并扣费。`,
  otherTasksRecord: (taskId) => `网关的应答是另一个任务（${taskId}）的记录；已忽略。`,
  nothingGiven: (media) =>
    `网关没有给出${({ image: '图片', video: '视频', music: '音乐' } as Record<string, string>)[media] ?? '结果'}，也没有说明原因。`,
  keyOfWorker: (says, worker) => `${asSentence(says)}它是工作机 ${worker} 的密钥。`,
  keyUnsendable: '密钥含有无法发送的字符。请重新输入。',
  codeUnsendable: '任务编号无法按网关配置要求的方式（taskCode）放入地址。',
  keyReplaced: '没有发送任何内容，因为发送前密钥已更换。',
  heldBack: {
    account: '没有发送任何内容，因为此时另一个进程可能已占用其账户。',
    sleep: '没有发送任何内容，因为发送前电脑进入了睡眠。',
    window: '没有发送任何内容，因为发送前运行时段已结束。',
    paused: '没有发送任何内容，因为发送前你暂停了该批次。',
    notNoted: '没有发送任何内容，因为存储未及时确认已记录。',
  },
  costsAlready: (cost, says) => `网关暂时拒绝，并说明已花费 ${cost}：${says}`,
  duplicateCode: (taskCode) => `网关给出的任务编号已属于另一个任务：${taskCode}`,
  nocturneEnded: '请求进行时 Nocturne 已结束。',
  lateCode: (taskCode) => `应答来得较晚，给出了任务编号 ${taskCode}：请认领它。`,
  overdue: (hours) => `提交 ${hours} 小时后，网关仍未完成。`,

  sentAgain: '其请求会以同一个幂等键重新发送。',
  toTryKeys: (taskCode) => `网关已接受，编号为 ${taskCode}。为验证其幂等键，会以同一个幂等键再发送一次。`,
  notAgainNow: {
    noKey: '不知道它的幂等键',
    notKept: '网关配置不再说明网关保留幂等键',
    chargesTwice: '已发现网关会对同一个幂等键扣费两次',
    sentSomewhere: '它发送到的地址已不明',
    otherKey: '它是用另一个账户密钥发送的',
    forgotten: '网关已不再记得该幂等键',
  },
  sentInHeader: (header) => `它是在标头 ${header} 中发送的，而网关配置现在使用另一个标头`,
  sentTo: (address) => `它发送到了 ${address}`,
  notAgain: (why) => `不再以同一个幂等键重新发送：${why}。`,
  clockSetBack: '时钟曾被调回，可能已太晚',
  asDuplicate: (says) => `网关将它视为第一个请求的重复而拒绝：第一个请求已被接受并扣费。${says}`,
  stillUnknown: (says) => `以同一个幂等键重新发送后，结果仍不明：${says}`,
  twoCodes: (first, second) =>
    `网关对同一个幂等键给出了两个任务编号 ${first} 和 ${second}：无论网关配置怎么写，它都会扣费两次。Nocturne 不会再在那里重复发送。`,
  unconfirmed: (taskCode, why) => `它给出了 ${taskCode}，但网关没有确认：${why}`,

  adoption: {
    decided: '这一行在此期间已作出决定。',
    nothing: '没有需要处理的内容。',
    lookAgain: '请再查看该行。',
    lookUp: '请在网关查找这一行自己的编号。',
    tryAgain: '请重试。',
    tryLater: '请稍后重试。',
    enterKey: '请输入密钥，然后重试。',
    checkKey: '请检查密钥，然后重试。',
    checkCode: '请检查编号。',
    checkCodeAgain: '请检查编号，然后重试。',
  },
  nothingUnknown: (row) => `行 ${row} 没有结果不明的请求。`,
  codeBelongsTo: (row, take, batch) =>
    `该编号已属于${batch === '' ? '' : `批次“${batch}”的`}行 ${row}${take === 0 ? '' : ` 的第 ${take} 版`}。`,
  gatewaySilent: (says) => `网关没有应答：${says}`,
  unknownCode: (taskCode) => `网关不认识任务 ${taskCode}。`,
  gatewayBusy: (says) => `网关要求 Nocturne 放慢速度：${says}`,
  keyRejected: (says) => `网关拒绝了密钥：${says}`,
  gatewayRefused: (says) => `网关拒绝了：${says}`,

  capRequests: (of, limit, ...[account]) =>
    of === 'batch'
      ? `该批次已用完上限中的全部 ${countText(limit)} 个付费请求。`
      : `你允许${capOf(of, account)}使用 ${countText(limit)} 个付费请求，现已全部用完。`,
  capProbe: (of, limit, spent, charges, ...[account]) =>
    `一次试探可能相当于 ${countText(charges)} 个付费请求。你允许${capOf(of, account)}使用 ${countText(limit)} 个，已使用 ${countText(spent)} 个。`,
  capCost: (of, limit, spent, isProbe, ...[account]) =>
    `你允许${capOf(of, account)}花费 ${limit}，其中已用 ${spent}，剩余部分${isProbe ? '不足以进行一次可能扣费两次的试探' : '不足以容纳任何等待中的请求'}。`,
  capDearer: (cost, operation) => `网关对 ${operation} 最多收取 ${cost}，高于网关配置中的价格。`,
  capUnpriced: (requests) => `另有 ${countText(requests)} 个付费请求没有价格，未计入其中。`,
  noPrice: (of, limit, currency, operations, more, ...[account]) =>
    `你允许${capOf(of, account)}花费 ${limit}，但网关配置中没有 ${operations}${more > 0 ? `等（另有 ${more} 个）` : ''} 以 ${currency} 计的价格。`,
  noKey: (origin, name) => `没有保存${accountAt(origin, name)}的密钥。`,
  noOwnKey: (origin, name) => `没有${accountAt(origin, name)}单独的密钥。`,
  failureTitle: (code) => nightsZh.failures[code as keyof typeof nightsZh.failures].title,
  titled: (title, text) => asSentence(`${title}：${text}`),
  failedAlike: (requests, title, says) =>
    `最近 ${countText(requests)} 个请求以相同方式失败，“${title}”：${asSentence(says)}`,
  failedOfLast: (failed, requests) => `最近 ${requests} 个请求中有 ${failed} 个失败。`,
  rowsNamed: (rows, more) => `涉及的行：${rows}${more > 0 ? `，另有 ${countText(more)} 行` : ''}。`,
  unknownInARow: (requests, says) => `接连 ${requests} 个付费请求结果不明：${says}`,
  inVainAgain: (requests, says) => `接连 ${requests} 个重新发送的请求也没有得到应答：${says}`,
  noFilesArrive: (files) => `最近 ${files} 个文件都没有到达，因此在有文件到达之前，Nocturne 不会发出付费请求。`,
  rowKind: (operation, model, columns) =>
    `${titleOf(operation)}${model === '' ? '' : `，模型 ${model}`}${columns === '' ? '' : `，含 ${columns}`}`,
  canaryUnknown: (kind, row) => `该类（${kind}）的试跑行 ${row} 结果不明。`,
  canaryFailed: (kind, row, why) => `该类（${kind}）的试跑行 ${row} 失败：${why}`,
  canaryWaits: (requests) => `这一类的 ${countText(requests)} 个付费请求没有发出。`,
  moment: nightsZh.schedule.moment,
  weekday: (weekday) => nightsZh.schedule.dayNames[weekday as keyof typeof nightsZh.schedule.dayNames],
  notFinishedBy: (by, takes, isOver) =>
    `它应在 ${by} 前完成。${countText(takes)} 版没有提交${isOver ? '' : '，因为预计都无法在此之前完成'}。`,
  restored: (folder) => `${folder} 是从备份恢复的。`,
  olderCopy: (folder) => `${folder} 是一个较旧的存储副本，原存储此后又被使用过。`,
  store: storeZh,
  storeRemedy: storeRemediesZh,
  storeUnwritable: (why) => `Nocturne 无法写入存储：${why}`,

  refersTo: (row, why) => `它引用的行“${row}”${why}`,
  refersOn: (row, root, why) => `它引用的行“${row}”需要行“${root}”，而后者${why}`,
  rowCancelled: '已取消。',
  rowFailed: (why) => `失败：${why}`,
  rowFailedSomehow: '失败，原因不明。',
  rowNotThere: '不在表格中。',
  rowSkipped: '标记为跳过。',
  rowNotRun: '没有运行：它有错误，或从未开始。',
  otherAccount: (row, maker, name) =>
    `一行不能引用不同账户的任务：行“${row}”是在账户“${maker}”上生成的，而这一行要发送到“${name}”，后者不认识那个任务。`,
  givesKey: (rows, isOne) => `${whichRows(rows, isOne)}给出的内容含有你的网关密钥，因此 Nocturne 不会发送它。`,
  givesUnsendable: (rows, isOne) => `${whichRows(rows, isOne)}给出的内容含有 NUL 字符或不完整的字符，无法发送。`,
  addressHoldsKey: '文件的地址含有你的网关密钥，因此 Nocturne 不会发送它。',
  noFilesPlace: (column, isPicture) =>
    `“${column}”${isPicture ? '需要在这里制作的图片' : '指定了这台电脑上的文件'}，但没有指定存放它的位置：nocturne resume BATCH --files-place FILE。`,
  fileGone: (column, written, row, isDeleted) =>
    `“${column}”需要行 ${row} 的 ${written}，但${isDeleted ? '其文件已删除' : '其文件没有到达'}。`,
  localFile: (column, file, isPicture, place, why) =>
    `“${column}”${isPicture ? '需要' : '指定的文件'} ${file}，要放到${/^\p{Script=Han}/u.test(place) ? '' : ' '}${place}：${why}`,
  list: listZh,
  review: reviewRefusalsZh,
  unsaved: unsavedZh,
  file: localFileZh,
  place: placeZh,
  program: programZh,
  placeNotNamed: '这台电脑上从未指定过该位置。请指定一次：nocturne resume BATCH --files-place FILE。',
  writtenOff: '已由用户核销；可能已扣费。',
  outputLost: '一个输出无故丢失。',
  notTidied: (why) => `已淘汰的文件没有移动或移除：${why}`,
  unexpected: '处理它时发生了意外错误。',

  addressExpired: (httpStatus) => `文件的地址已失效：服务器以 HTTP ${httpStatus} 应答。`,
  notDownloaded: (why) => `无法下载文件：${why}。`,
  notDownloadedHttp: (httpStatus) => `无法下载文件：服务器以 HTTP ${httpStatus} 应答。`,
  notFetched: (why) => `没有获取文件：${why}。`,
  transport: {
    noHost: '无法解析主机名',
    refused: '主机拒绝连接',
    notInTime: '未能及时连接到主机',
    brokeOff: '连接中断',
    fewerBytes: '收到的字节少于声明的数量',
    tooLong: '耗时过长',
    addressHoldsKey: '其地址含有你的网关密钥，不应让他人看到',
    notHttp: '应答不是有效的 HTTP',
    redirectsToKey: '它被重定向到含有你的网关密钥的地址',
  },
  notTrusted: (code) => `主机的证书不受信任（${systemCodeZh(code)}）`,
  stalled: (seconds) => `${seconds} 秒内没有收到任何内容`,
  redirectedOften: (times) => `重定向超过 ${times} 次`,
  redirectRefused: (why) => `它被重定向到不允许的地址：${why}`,
  privateAddress: (place, host) =>
    `${place} 是专用网络内的地址；如果网关将文件存放在那里，请在网关配置的 media.allowHosts 中添加 ${host}`,
  connectionFailed: (code) => `连接失败（${systemCodeZh(code)}）`,
  mediaUrl: { notAddress: '它不是网址', credentials: '它含有用户名或密码', downgrade: '它从 https 转到 http' },
  otherScheme: (scheme) => `只获取 http 和 https 地址，而这个以 ${scheme} 开头`,
  otherPart: '服务器发送了 Nocturne 没有请求的部分。',
  noFile: '服务器没有发送文件。',
  emptyFile: '服务器发送了空文件。',
  brokeOffAfter: (bytes, why) => `下载在 ${bytes} 字节后中断：${why}。`,
  fewerThanSaid: (declared, bytes) => `服务器声明了 ${declared} 字节，实际发送了 ${bytes} 字节。`,
  fileTooLarge: '文件大于网关配置中 media.maxBytes 允许的大小，没有保留。',
  fileCompressed: '服务器压缩了文件，尽管要求不压缩。',
  sameFile: '服务器发送的文件与该任务的另一个输出相同。',
  fileComplete: '文件是完整的。',
  fileIncomplete: '下载的内容不是完整的媒体文件。',
  fileHoldsKey: '它含有你的网关密钥，因此没有保留。',
  fileReplaced: '在 Nocturne 重命名之前，文件夹中的文件已被替换。',
  fileBroken: (type, why) => `作为 ${type}，该文件已损坏或不完整（${why}）。`,
  fileUnknown: (why) => `该文件无法核实（${why}）。`,
  fileNoEnd: '服务器没有给出长度，而这类文件本身不标明结尾，因此可能不完整。',
  media: mediaZh,
  gate: gateZh,
  gateTitle: (code) => operationsZh.gates[code as keyof typeof operationsZh.gates].title,
  rowWarning: {
    sharedAddress: (row) => `网关为这一行和行 ${row} 给出了相同的地址。`,
    sameContent: '网关为这一行的一个请求两次给出了同一个文件。',
    mostOutputs: (most) => `网关为这一行的一个请求给出了 ${most} 个文件，可能还有更多：Nocturne 最多只获取这么多。`,
    flagged: (title, path, found, madeAgain, others) =>
      `${madeAgain === 0 ? '' : `已重新生成 ${countText(madeAgain)} 次，仍然：`}${title}：${path}。${found}${others === 0 ? '' : `这一行的文件另有 ${countText(others)} 个质检标记。`}`,
  },
  keptAs: (path) => `已另存为 ${path}。`,
  notKeptAgain: '没有保留，因为已保留较早的版本。',
  notKept: (why) => `没有保留：${why}`,

  diskFull: (place) => `${place} 所在的磁盘没有剩余空间。`,
  roomLeft: (mebibytes, folder) => `${folder} 所在的磁盘仅剩 ${mebibytes} MiB。`,
  unusable: (place, why) => `${place} 无法使用：${systemCodeZh(why)}。`,
  disk: {
    EACCES: '你没有写入权限',
    EPERM: '你没有写入权限',
    EROFS: '它在只读磁盘上',
    ENOENT: '它不存在（是否拔出了磁盘？）',
    ENOTDIR: '其路径的一部分是文件，而不是文件夹',
    EEXIST: '同名的已有文件、管道等，不是文件夹',
    EISDIR: '应为文件的位置是一个文件夹',
    ELOOP: '其路径包含循环链接',
    ENAMETOOLONG: '其路径对这个磁盘来说太长',
    EFBIG: '文件大于这个磁盘允许的大小',
    EIO: '磁盘报告了错误',
    EXDEV: '它分布在两个磁盘上',
    NO_THREAD: '写入它的线程已结束或无法启动（内存是否不足？）',
  },
  notPlain: (path) => `${path} 应为普通文件，却是链接、管道、设备或文件夹`,
  leadsOut: (path) => `${path} 是指向媒体文件夹之外的链接`,
  leadsOutOfDelivery: (path) => `${path} 经由链接指向交付文件夹之外`,
  notFolder: (path) => `${path} 应为文件夹，却是文件或失效的链接`,
  identityDamaged: (path) => `Nocturne 用来识别该文件夹的 ${path} 已损坏或正在写入。如果一直如此，请将它移除。`,
  otherFolder: (folder, why) => `${folder} 已不是原来的文件夹：${why}。`,
  another: {
    noMark: '它没有 Nocturne 的标记',
    otherMark: '它带有另一个文件夹的标记',
    noFiles: '其中没有任何该批次的文件',
    changed: '它在此期间已更改',
    notWritten: '写入的内容不在其中',
  },
  folderUnknown: (folder) => `还没有工作机在 ${folder} 中工作过，因此不知道它是哪个文件夹。`,
  folderElsewhere: (folder) =>
    `这台电脑的 ${folder} 中没有该批次的文件：工作机在那里使用的是另一个文件夹。它们的磁盘或共享是否未在这里挂载？`,
  notMounted: '它的磁盘或共享是否未挂载？',
  otherServer: '它是否是同名的另一个存储桶或服务器，或已被清空？',
  replaced:
    '一旦恢复，Nocturne 会自动继续。若要改用这个文件夹，请点击继续：只在旧文件夹中的文件不会转移过来，nocturne verify 会列出它们。',
  alreadyExists: (path) => `${path} 已存在，且是另一个文件。请选择空文件夹。`,
  missingFile: (path) => `${path} 不存在，或不是下载的那个文件。`,
  writtenByOthers: (path) => `无法写入 ${path}：另一个程序在反复写入它。`,

  noBatch: (id) => `没有这样的批次：${id}`,
  noSuchBatch: '没有这样的批次。',
  zipExists: (path) => `${path} 已存在：不会向 ZIP 添加内容，也不会替换它。`,
  zipTooLarge: (files, size) =>
    `${countText(files)} 个文件共 ${size}，超出了 ZIP 的 4 GiB 和 65,535 个文件的限制。请交付到文件夹。`,
  deliversIntoMedia: (place, name, inside) => {
    const whose = name === '' ? '某个批次' : `批次“${name}”`;
    const what = inside === '' ? `是${whose}的媒体文件夹` : `在${whose}的媒体文件夹 ${inside} 中`;
    return `${place} ${what}：请交付到它之外的单独文件夹。`;
  },
  templateUnusable: (why) => `无法使用这个模板。${why}`,
  partsNotOurs: (path) => `${path} 是链接，或属于另一个用户：请移除它，或选择另一个文件夹。`,
  foreignPackage: (path) => `${path} 已存在，但不是 Nocturne 写的数据包，或指向文件夹之外的文件。`,
  documentsUnwritten: (why) => `无法写入文档：${why}`,

  told: {
    accepted: (status) => `已接受（HTTP ${status}）`,
    refused: (status) => `被拒绝（HTTP ${status}）`,
    leadsElsewhere: (status) => `应答为 HTTP ${status}，重定向到别处：请填写它指向的地址`,
    late: (seconds) => `${seconds} 秒内没有应答`,
    plainHttp: (where) => `普通 http 会经网络传到 ${where}；请使用 https`,
    someAddress: '未知的地址',
    notReached: (code) => `无法连接${code === '' ? '' : `（${systemCodeZh(code)}）`}`,
    notSet: '没有设置',
    noSecret: '没有签名密钥：请重新输入',
    atAttempt: (says, attempt) => `${says}（第 ${attempt} 次尝试）`,
  },
  notAsleep: (why) => `无法让电脑进入睡眠。${why}`,
  notShutDown: (why) => `无法关闭电脑。${why}`,

  bucketOfOther: (folder) => `${folder} 在存储桶中：只有以它为媒体文件夹的批次才写入那里。`,
  bucketKeepsRejected: (folder) => `${folder} 在存储桶中：已淘汰的文件保持原位，不会删除任何内容。`,
  bucketAddress: {
    noName: (address) => `${address} 没有指明存储桶：其名称由 3 到 63 个小写字母、数字、点和短横线组成。`,
    emptyPart: (address) => `${address} 的路径中有空的部分、“.”或“..”。`,
    controls: (address) => `${address} 的路径中有控制字符或反斜杠。`,
    tooLong: (address, bytes) => `${address} 超过 ${bytes} 字节。`,
  },
  bucketFull: (what) => `${what} 没有剩余空间：服务器的配额已用完。`,
  bucketRefused: (what, doing, why) => `${what} 无法使用（${BUCKET_WORK[doing] ?? doing}）：${why}`,
  bucket: {
    NoSuchBucket: '这个服务器上没有这样的存储桶。请创建它，或更正其名称或 AWS_ENDPOINT_URL。',
    AccessDenied: `访问密钥没有这样做的权限。${RIGHTS}`,
    AllAccessDisabled: `任何人都不能使用它。${RIGHTS}`,
    AccountProblem: '其账户有问题，需由服务商解决。',
    InvalidAccessKeyId: `服务器不认识该访问密钥。${CREDENTIALS}`,
    SignatureDoesNotMatch: `私密密钥与访问密钥不匹配。${CREDENTIALS}`,
    ExpiredToken: `凭证已过期。${CREDENTIALS}`,
    InvalidToken: `会话令牌无效。${CREDENTIALS}`,
    RequestTimeTooSkewed: '这台电脑与服务器的时钟相差太多。请校准这台电脑的时钟。',
    NotImplemented: '服务器不支持 Nocturne 所需的条件写入（If-None-Match），它确保不会替换任何内容。',
    InvalidObjectState: '文件已归档，需先恢复才能读取。',
    EntityTooLarge: '文件大于服务器允许的大小。',
    BadDigest: '收到的内容多次与发送的不同。是否有什么在中途更改了它？',
    KeyTooLongError: '名称长于服务器允许的长度。请在存储桶中使用更短的路径。',
  },
  bucketElsewhere: (region) =>
    `存储桶在${region === '' ? '另一个区域' : `区域 ${region}`}。请将 AWS_REGION 设为该区域，并将 AWS_ENDPOINT_URL 设为其地址。`,
  bucketLater: (answer) => `服务器要求稍后再试（${answer}）。`,
  bucketCredentials: `服务器不接受凭证。${CREDENTIALS}`,
  bucketOther: (answer) => `服务器拒绝了它（${answer}）。`,
  bucketSilent: (what, endpoint, why) =>
    `${what} 无法使用：${endpoint} 没有应答（${systemCodeZh(why)}）。网络是否可用？地址是否正确？`,
  bucketReplaces: (address) =>
    `${address} 无法使用：尽管要求不替换（If-None-Match），其服务器仍会替换文件，因此无法防止 Nocturne 替换他人的文件。请使用支持条件写入的服务器。`,
  noRegion: '没有为存储桶设置区域。请设置 AWS_REGION，如果服务器不是 AWS，则设置 AWS_ENDPOINT_URL。',
  badEndpoint: 'AWS_ENDPOINT_URL 不是服务器的地址，例如 https://s3.example.com。',
  noCredentials: (file, profile) =>
    `没有存储桶的凭证。${profile === '' ? '' : `${file} 中没有配置 ${profile} 的密钥。`}请设置 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY，或 AWS_PROFILE。`,
};
