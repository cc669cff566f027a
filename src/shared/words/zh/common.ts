import { countText } from '../../domain/base/text.ts';
import type { CommonWords } from '../en/common.ts';

const count =
  (unit: string) =>
  (n: number): string =>
    `${countText(n)} ${unit}`;

const field = (label: string, hint: string): CommonWords['profile']['downloads'] => ({ label, hint });

/** A text before Chinese: with a space, if it ends in a Latin letter or a digit. */
export function spaced(text: string): string {
  return /\w$/u.test(text) ? `${text} ` : text;
}

/** A sentence of another part of the program may be in English, and so may the next one: then a space is between them. */
function followedBy(said: string, next: string): string {
  return /[\w.!?]$/u.test(said) ? `${said} ${next}` : `${said}${next}`;
}

export const commonZh: CommonWords = {
  locale: 'zh-Hans-CN',
  sentences: (parts) => parts.filter((part) => part !== '').reduce(followedBy, ''),
  and: (items) => listed(items, '和'),
  or: (items) => listed(items, '或'),
  list: (items) => items.filter((item) => item !== '').join('，'),
  titled: (title, text) => `${title}：${text}`,
  quoted: (text) => `“${text}”`,

  rows: count('行'),
  takes: count('版'),
  files: count('个文件'),
  cells: count('个单元格'),
  columns: count('列'),
  batches: count('个批次'),
  requests: count('个请求'),
  paidRequests: count('个付费请求'),
  errors: count('个错误'),
  warnings: count('个警告'),
  problems: count('个问题'),
  times: count('次'),
  take: (n) => `第 ${n} 版`,
  line: (line) => `第 ${line} 行`,
  lineOf: (operation, line) => `${operation} · 第 ${line} 行`,

  seconds: (seconds) => `${seconds} 秒`,
  minutes: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
  hours: (hours, minutes) => `${hours} 小时 ${minutes} 分`,
  days: (days, hours) => `${days} 天 ${hours} 小时`,
  about: (time) => `约 ${time}`,
  inAMinute: '约一分钟后',
  inZone: (time, zone) => `${time}（${zone}）`,

  cancel: '取消',
  close: '关闭',
  save: '保存',
  add: '添加',
  remove: '移除',
  delete: '删除',
  rename: '重命名',
  duplicate: '复制一份',
  open: '打开',
  back: '返回',
  retry: '重试',
  undo: '撤销',
  undone: '已撤销',
  redo: '重做',
  copy: '复制',
  yes: '是',
  no: '否',
  none: '无',
  name: '名称',
  more: '更多',

  settingsParts: {
    gateways: '网关',
    night: '夜间运行',
    notifications: '消息推送',
    spending: '支出',
    appearance: '外观',
    lists: '词表',
    store: '存储',
    data: '你的数据',
    updates: '更新',
    about: '关于',
  },
  helpParts: {
    words: '术语',
    language: '表格的写法',
    living: '活表格',
    statuses: '状态',
    night: '夜里',
    morning: '早晨',
    failures: '可能出现的问题',
    safety: '安全',
    keyboard: '键盘',
    operations: '操作',
    support: '获取帮助',
  },

  aboutTheRow: '关于行本身',
  rowColumns: {
    row: '这一行自己的 ID：其他行用它来引用，文件也以它命名。',
    operation: '要生成什么，例如音乐、歌词或图像。',
    takes: '付费生成多少版；留空为 1 版。',
    priority: '数字越大的行越先运行。',
    account: '在有多个账户的批次中，由哪个账户生成；留空则任意账户均可。',
    filename: '这一行的文件名，可用 {row}、{title} 等。',
    pick: '为 true 时，引用这一行的行会等到你选定它的一个文件。',
    skip: '为 true 时，略过这一行。',
    seed: '决定这一行的选项和词表抽到什么；留空则由行 ID 决定。',
    note: '自己看的备注，不会发送。',
  },

  noProblems: '没有问题',
  problemAt: {
    line: (line) => `第 ${line} 行`,
    lines: (lines, isAll) => `第 ${lines.join('、')} 行${isAll ? '' : '…'}`,
    wholeSheet: '整个表格',
    column: '列',
  },
  problemTitles: {
    unreadable: '表格无法读取',
    'too-large': '表格过大',
    encrypted: '表格已加密',
    empty: '表格是空的',
    'no-operation-column': '没有操作列',
    'duplicate-header': '两列的表头相同',
    'unknown-column': '未知的列',
    'unused-column': '此操作用不到的值',
    'operation-missing': '缺少操作',
    'operation-unknown': '操作无法识别',
    'row-id-duplicate': '两行的 ID 相同',
    'row-id-mangled': '可能被电子表格软件改动过的行 ID',
    'value-type': '值的类型不对',
    'value-range': '值超出范围',
    'value-characters': '无法发送的字符',
    'value-formula': '没有值的公式',
    'nothing-to-render': '没有提示词或来源',
    'reference-invalid': '无效的引用',
    'reference-missing': '引用的行不存在',
    'reference-cycle': '几行循环等待',
    'reference-blocked': '引用的行无法运行',
    'variable-unknown': '花括号中的名称未知',
    'choice-invalid': '选项的写法不起作用',
    'list-unknown': '未知的词表',
    'mapping-unknown': '映射与表格不符',
    'duplicate-request': '相同的行',
    'shared-address': '两行的文件地址相同',
    'same-content': '同一个文件出现两次',
    'most-outputs': '文件多于 Nocturne 获取的数量',
    flagged: '被质检标记的文件',
    'reserved-value': '无效的值',
    'account-unknown': '未知的账户',
    'contains-key': '表格中有网关的密钥',
    'hidden-rows': '隐藏的行',
    'hidden-columns': '隐藏的列',
    'external-link': '指向另一个工作簿的链接',
    'unsupported-format': '不支持的文件格式',
    'encoding-guessed': '编码是推测的',
    'quotes-broken': '引号没有闭合',
    'header-matched': '由 Nocturne 映射到列的表头',
    'header-missing': '没有表头的列',
    'lines-above': '表头上方还有内容',
    'extra-cells': '单元格多于表头',
    'value-long': '很长的值',
    'value-address': '无效的网址',
    'local-file': '这台电脑上的文件',
    'number-imprecise': '丢失了位数的数字',
    'other-sheets': '工作簿中的其他工作表',
  },

  profile: {
    howMuch: '同时处理多少',
    requestsPerSecond: field('每秒请求数', '所有请求合计：提交和查询。'),
    atOnce: (family) => field(`${spaced(family)}并发数`, '网关上同时最多有这么多版。'),
    downloads: field('同时下载数', '同时获取的文件数。'),
    howLong: '等待多久',
    submitSeconds: field('等待提交的响应（秒）', '超过后，结果不明。'),
    pollSeconds: field('等待其他响应（秒）', '超过后，会再次查询。'),
    taskHours: field('等待生成（小时）', '超过后，会问你怎么办。'),
    files: '文件',
    allowHosts: field('文件可来自的内网主机', '每行一个，例如 10.0.0.5 或 media.example:8443。公网主机不必列出。'),
    maxBytes: field('最大文件（字节）', '更大的文件不会获取。'),
    howAsked: '如何请求',
    taskCode: field('任务编号的名称', '查询中的参数名。'),
    userAgent: field('User agent', '请求中表明发送者的内容。'),
    meanings: {
      queued: '排队中',
      running: '生成中',
      succeeded: '成功',
      failed: '失败',
      inferred: '不确定：根据响应推断',
    },
    presets: {
      '0-running-1-succeeded': '0 生成中，1 成功，2 和 3 失败',
      '0-queued-1-succeeded-3-running': '0 排队中，1 成功，2 失败，3 生成中',
      '0-queued-1-running-2-succeeded': '0 排队中，1 生成中，2 成功，3 失败',
      words: '单词，例如 queued、running、success、failed',
    },
    statusThere: '表中已有。',
    noStatusName: '这不能作为状态的名称。',
    notJson: (problem) => `这不是 JSON：${problem}。`,
    unreadable: '无法读取',
    correctThere: '请在该处修正。',
  },
};

function listed(items: readonly string[], word: string): string {
  const last = items.at(-1) ?? '';
  const first = items.slice(0, -1).join('、');
  return first === '' ? last : `${spaced(first)}${word}${/^\w/u.test(last) ? ' ' : ''}${last}`;
}
