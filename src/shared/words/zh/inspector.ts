import { countText } from '../../domain/base/text.ts';
import type { InspectorWords } from '../en/inspector.ts';
import { commonZh } from './common.ts';

/** What an answer was judged to be, by its recorded name. */
const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['accepted', '已接受'],
  ['not-sent', '未发出'],
  ['rate-limited', '被限速'],
  ['held', '已搁置'],
  ['rejected', '已拒绝'],
  ['unknown', '结果不明'],
  ['interrupted', '已中断'],
  ['asked-again', '已重发'],
  ['charged', '已扣费'],
]);

export const inspectorZh: InspectorWords = {
  label: (row) => `行 ${row}`,
  rowAbove: '上一行',
  rowBelow: '下一行',
  close: '关闭详情面板',
  unreadable: '无法读取此行',
  retry: '重试此行',
  oneMoreTake: '再来一版',
  oneMoreTakeHint: '在表格中按 Ctrl+Shift+A',
  renderAgain: '重新生成',
  renderAgainHint: '在表格中按 Ctrl+Shift+R；现有文件保留为先前版本',
  keepEarlier: '保留先前的文件',
  keepEarlierHint: '先前的文件重新生效，此行不再重新生成',
  cancel: '取消此行',
  take: commonZh.take,
  taskCode: (code) => ['任务编号 ', code],
  gatewayCost: (money) => `网关报告费用为 ${money}。`,
  lastResponse: '最近一次响应',
  request: '请求',

  files: {
    now: () => '文件',
    earlier: () => '先前版本',
    look: (name) => `查看 ${name}`,
    showInFolder: (name) => `在文件夹中显示 ${name}`,
  },

  status: {
    youHold: '你暂扣了此行：不会为它发送新请求。',
    nobodyAsks: '批次暂停期间，不会查询其进度。',
    isAgain: '将重新生成。在你运行之前，不会为它发送任何请求。',
    isSent: '新请求已经发出，无法收回；先前的文件仍会保留。',
    isMadeOfThat: '它由该文件生成。',
    inferred: '这是 Nocturne 的推断；它会继续检查。',
    earlierWatched: '先前版本的请求似乎已失败。仍在向网关查询：迟到的文件会保存在先前版本中。',
    itsFiles: '其文件',
    inSheet: '表格中',
    inColumn: (column) => `表格中，${column} 列`,
    ended: (time, length) => `${time}，用时 ${length}`,
    triesAgain: (time) => `${time} 再次尝试`,
    nextIn: (length) => `${length}后进行下一步`,
    submitted: (time) => `${time} 提交`,
  },

  earlier: {
    title: '先前的尝试',
    about: (paidRequests) =>
      paidRequests > 0 ? `更改此行之前发送，共 ${commonZh.paidRequests(paidRequests)}。` : '更改此行之前发送。',
    more: (n) => `另有 ${countText(n)} 条。导出证据可查看全部。`,
    failed: (title, message) => `${title}：${message}`,
    files: (names) => `文件 ${names.join('、')}`,
  },

  evidence: {
    title: '证据',
    sent: (take, origin, day, exact) => [`第 ${take} 版于 `, day, '（', exact, '）发送到 ', origin, '。'],
    body: '已发送',
    key: (key) => ['幂等键 ', key],
    noResponse: 'Nocturne 关闭时尚未收到响应。',
    noResponseUntil: (time) => `直到 ${time} 仍未收到响应。`,
    response: (httpStatus) => `响应：HTTP ${httpStatus}`,
    responseBody: '响应正文',
    responseBodyCut: '响应正文（已截断）',
    bytes: '字节',
    cut: '… 导出证据可查看其余部分。',
  },

  history: {
    title: '历史',
    about: (events) => `${countText(events)} 个事件，以及所有请求与响应`,
    ofTake: (take, text) => `第 ${take} 版：${text}`,
    requestOf: (take, answer) => `第 ${take} 版的请求：${answer}`,
    answer: (httpStatus, outcome) => `HTTP ${httpStatus}${taken(outcome)}`,
    noAnswer: (outcome) => `没有响应${taken(outcome)}`,
    noAnswerYet: '尚无响应',
  },

  edits: {
    title: '编辑记录',
    added: (time) => `${time} 添加。`,
    at: (time) => `${time} 编辑。`,
    waits: (time) => `${time} 编辑；生成此行时生效。`,
    waitsForRun: (time) => `${time} 编辑；运行此行后生效。`,
    about: (changes) => `导入后 ${countText(changes)} 处更改`,
    reimport: '重新导入',
    after: (text) => ['→ ', text],
    again: '重新使用此文本',
    againOf: (header, text) => `在“${header}”中重新使用此文本：${text}`,
  },

  tasks: {
    ofOne: '经过',
    ofSeveral: '各版的经过',
  },

  preview: {
    willBeSent: '将要发送的内容',
    newTake: '新的一版将发送的内容',
    asWritten: '显示原文',
    filledIn: '填入的内容',
    waits: (rows) => `${rows.join('、')} 完成后发送，并填入${rows.length === 1 ? '该行' : '这些行'}的结果。`,
    row: '表格中的此行',
  },

  unknown: {
    label: '处理结果不明',
    adoptCode: '认领其任务编号',
    adoptPlaceholder: '如网关自己的页面所示',
    adoptHint: '最稳妥的办法：查看网关自己的任务列表。不会再次付费。',
    adopt: '认领',
    resubmit: '重新提交…',
    writeOff: '核销…',
  },
};

function taken(outcome: string | undefined): string {
  return outcome === undefined ? '' : `，${OUTCOMES.get(outcome) ?? outcome}`;
}
