import type { BatchWords } from '../en/batch.ts';
import { commonZh } from './common.ts';

export const batchZh: BatchWords = {
  isGone: '此批次已不存在。',
  goToWelcome: '前往欢迎页',
  list: (items) => items.join('、'),
  titled: (name, text) => `${name}：${text}`,
  partOf: (part, all) => `${part} / ${all}`,
  followedBy: (first, next) => [first, next],

  columns: {
    mapping: (header) => `“${header}”的映射`,
    mappingHint: '该列的单元格将作为你选择的字段发送。各行的 ID 仍为导入时的 ID。',
    thisColumn: '此列',
    notSent: '不发送',
    ownColumn: '自定义列。',
    similarName: '名称相近。',
    add: '添加列',
    addHint: '操作的字段，或任意名称的自定义列，例如变量。',
    own: '自定义',
    ownHint: '不发送；单元格可以用 {…} 引用。',
  },

  balance: {
    unknown: '未知',
    at: (balance, time) => `${balance}（${time}）`,
    accountUnknown: '余额未知。',
    accountHas: (balance) => `余额 ${balance}`,
    isUnknown: '余额未知。',
    youHave: (balance) => `账户余额 ${balance}。`,
    isLow: (balance, cost) => `账户余额 ${balance}，低于此次可能的费用 ${cost}`,
    isLowText: '网关报告余额用尽时，夜间运行会暂停。',
  },

  actions: {
    gallery: '画廊',
    galleryHint: '总览所有文件（F7）',
    folder: '打开文件夹',
    folderHint: '打开文件夹',
    review: '审阅',
    reviewHint: '观看、试听，保留或淘汰（F8）',
    deliver: '交付',
    deliverHint: '为他人准备的副本',
    ledger: '账本',
    ledgerHint: '结果如何，接下来做什么',
    when: '运行时间…',
    limits: '上限…',
    gates: '质检…',
    filesPlace: '文件存放处…',
    cancelRest: '取消其余各版…',
    start: '开始…',
    pause: '暂停',
    resume: '继续',
    raiseLimit: '提高上限…',
  },
  cancelRest: {
    title: '取消其余各版？',
    confirm: (takes) => `取消 ${commonZh.takes(takes)}`,
    decline: '不取消',
    text: (takes) => `${commonZh.takes(takes)}将不再生成。网关已接受的仍可能扣费。文件夹中的文件会保留。`,
  },

  head: {
    rehearsal: '彩排',
    takes: '各版进度',
    fold: '收起进度详情',
    unfold: '展开进度详情',
    ifResumed: '如果现在继续',
    notKnownYet: '尚不清楚。',
    takesDone: '已完成版数',
    ended: '结束',
    finishes: '预计结束',
    requests: '请求',
    paidRequests: '付费请求',
    wouldBeSpent: '模拟支出',
    spent: '支出至多',
    sends: '发送时间',
    forecast: '预估',
    forecastOfLast: '最近一次运行的预估',
    inFolder: '文件夹中',
    balance: '余额',
    balances: '余额',
    gateway: '网关',
    accounts: '账户',
    builtIn: '内置',
    gatewayWaits: '网关要求等待',
    waitForFirst: (row) => `其他行等待同类中的第一行“${row}”`,
    nextAt: (time) => `下次发送 ${time}`,
    files: (count, size) => `${commonZh.files(count)}，${size}`,
    ofLimit: (limit) => `上限 ${limit}`,
    withoutPrice: (requests) => `${commonZh.paidRequests(requests)}没有价格`,
    spentAndUnpriced: (spent, requests) => `${spent}，另有 ${commonZh.paidRequests(requests)}没有价格`,
    foretold: (end, sum, limits) =>
      `${end ?? '结束时间未知'}，${sum}${limits.length === 0 ? '' : `（当时的上限：${limits.join('、')}）`}`,
  },
  end: {
    nothingLeft: '没有待办',
    at: (time, length) => `${time}，用时 ${length}`,
    notWhilePaused: '暂停中，无法预计',
    waitsUntil: (time) => `等到 ${time}`,
    estimating: '正在估算…',
    pausesAtLimit: (end) => `达到上限时暂停，${end}`,
  },

  limit: {
    remove: '移除上限…',
    removeTitle: (limit) => `移除${limit}？`,
    removeConfirm: '移除并继续',
    removeDecline: '保留',
    removeText: (takes) => `此后，此批次的 ${commonZh.takes(takes)}都可能发送，无论费用多少。`,
    ofBatch: '此批次的上限',
    ofAccount: (name) => `账户“${name}”`,
    requests: '请求上限',
    spending: '支出上限',
    none: '无上限',
    sent: (requests) => `目前已发送 ${commonZh.requests(requests)}。`,
    sentOfBatch: (requests) => `目前已发送 ${commonZh.requests(requests)}。达到此数时暂停。`,
    pausesBefore: '支出超过此数之前暂停。',
    spentSoFar: (money) => `目前支出至多 ${money}。`,
    spent: (money) => `支出至多 ${money}。`,
  },

  edit: {
    toolbar: '编辑表格',
    nothingToUndo: '没有可撤销的操作',
    nothingToRedo: '没有可重做的操作',
    undo: (what) => `撤销：${what}（Ctrl+Z）`,
    redo: (what) => `重做：${what}（Ctrl+Y）`,
    insertRows: '在上方插入行（Ctrl++）',
    duplicateRows: '将行复制一份',
    deleteRows: '删除行（Ctrl+−）',
    column: '列',
    addColumn: '添加列…',
    find: '查找和替换',
  },
  drafts: {
    run: (n, of) => draftsOf(n, of),
    title: (n, of) => `${draftsOf(n, of)}？`,
    confirm: (n, of) => (of === 'rows' ? `运行 ${commonZh.rows(n)}` : draftsOf(n, of)),
    decline: '暂不',
    wait: (takes) => `${commonZh.takes(takes)}等待生成`,
  },

  missingFiles: (files) => `该批次有${commonZh.files(files)}不在其文件夹中`,
  missingFilesText: '它的文件夹已被另一个文件夹取代。请从旧文件夹复制这些文件；nocturne verify 会列出它们。',
  pause: {
    byUser: '你已暂停',
    byUserText: (isDiskFull) =>
      `不再发送新请求。网关已接受的${isDiskFull ? '会在磁盘可写后下载' : '仍会下载'}。继续后发送其余部分。`,
    waitsText: '无需操作：Nocturne 会等待并自动继续。不会重复发送。',
    byFailure: (title) => `已暂停：${title}`,
    account: (name, title) => `账户“${name}”已暂停：${title}`,
    resumeAccount: '继续使用此账户',
    enterKey: '输入密钥',
    keyStored: '密钥已保存',
    keyStoredText: '继续之前，不会发送请求，也不会查询各行进度。',
    hasRoom: '上限内又有余量',
    hasRoomText: '继续之前，不会发送请求。',
    changeItsLimit: '更改其上限…',
    changeWhen: '更改运行时间…',
    changeLimit: { night: '更改每夜上限', month: '更改每月上限' },
    prices: '价格',
    correctProfile: '更正网关配置',
    sendAnyway: '仍然发送其余部分',
    unknown: (takes) => `${commonZh.takes(takes)}结果不明`,
    show: '显示',
    showAll: '显示所有行',
  },

  status: {
    title: (family, status) => `${family}：状态“${status}”表示失败吗？`,
    yes: '是，表示失败…',
    text: (account, takes) =>
      `${account === undefined ? '你的网关' : `“${account}”的网关`}以此状态结束了 ${commonZh.takes(takes)}，没有给出文件。如果表示失败，今后处于此状态的行会立即失败。`,
  },

  when: {
    title: '运行时间',
    saveAndResume: '保存并继续',
  },

  turn: {
    hold: (rows) => `暂扣${after(rows)}`,
    release: (rows) => `放行${after(rows)}`,
    next: (rows) => `优先运行${after(rows)}`,
  },
  row: '此行',
  cancel: {
    title: (rows) => `取消${after(rows)}？`,
    confirm: (rows) => `取消${after(rows)}`,
    decline: '不取消',
    text: '网关已接受的仍可能扣费。如果网关有结果，之后可以用“重试”免费取回。',
  },

  retry: {
    title: '重试？',
    confirm: (takes) => `重试 ${commonZh.takes(takes)}`,
    decline: '暂不',
    refused: (takes) => `网关因请求内容拒绝了 ${commonZh.takes(takes)}：表格不改，重试仍会被拒绝。`,
    refusedAsWell: () => '被拒绝的也一并重试',
  },

  settle: {
    label: '处理结果不明的请求',
    summary: (rows, takes) => `${commonZh.rows(rows)}结果不明，共 ${commonZh.takes(takes)}。`,
    writeOff: (what) => `核销${after(what)}`,
    writeOffAsks: (what) => `核销${after(what)}…`,
    writeOffTitle: (what) => `核销${after(what)}？`,
    writeOffText: '核销的计为失败。如果网关其实已接受，则费用已付，其文件不会下载。',
    resubmit: (what) => `重新提交${after(what)}`,
    resubmitAsks: (what) => `重新提交${after(what)}…`,
    resubmitTitle: '重新提交，可能付费两次？',
    lookFirst: '请先查看网关自己的任务列表。',
    decline: '保持结果不明',
    exportEvidence: '导出证据…',
  },

  line: {
    working: '正在处理…',
    pressPlus: '按上方的 + 添加列。',
    filledIn: '此列由 Nocturne 填写。',
    notSent: '此列不发送。',
    file: (name, type, size) => `${name}（${type}，${size}）`,
    selected: (rows, cells) => `已选 ${commonZh.rows(rows)} × ${commonZh.cells(cells)}`,
  },
};

/** A space before a number, but none before Chinese. */
function after(what: string): string {
  return /^\w/u.test(what) ? ` ${what}` : what;
}

function draftsOf(n: number, of: 'rows' | 'takes'): string {
  return of === 'rows' ? `运行改动的 ${commonZh.rows(n)}` : `再运行 ${commonZh.takes(n)}`;
}
