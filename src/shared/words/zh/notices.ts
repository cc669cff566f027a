import { countText } from '../../domain/base/text.ts';
import { spaced } from './common.ts';
import type { NoticesWords } from '../en/notices.ts';

const cells =
  (done: string) =>
  (n: number): string =>
    `已${done} ${countText(n)} 个单元格`;
const rows =
  (done: string) =>
  (n: number): string =>
    `已${done} ${countText(n)} 行`;
const takes =
  (done: string) =>
  (n: number): string =>
    `${countText(n)} 版${done}。`;

export const noticesZh: NoticesWords = {
  errors: {
    'invalid-input': '无法理解',
    forbidden: '不允许',
    'not-found': '已不存在',
    refused: '未能完成',
    unavailable: '引擎没有响应',
    internal: 'Nocturne 的程序错误',
    cancelled: '已取消',
  },
  failed: {
    imported: '表格未导入',
    configured: '批次未更改',
    delivered: '未能全部交付',
    placed: '文件存放处未更改',
    shelved: '批次仍在原处',
    started: '批次未开始',
    resumed: '批次未继续',
    retried: '未重试任何内容',
    turned: '各行保持原样',
    released: '未开始任何内容',
    settled: '各行未处理',
    edited: '表格未更改',
    pasted: '未粘贴任何内容',
    compared: '文件未比较',
    applied: '更改未应用',
    reread: '文件未重新读取',
    resultsWritten: '结果未写入',
    evidence: '证据未导出',
    backedUp: '存储未备份',
    storeChanged: '存储仍是原来的那个',
    paused: '未暂停任何内容',
    restored: '备份未恢复',
    diagnostics: '诊断信息未保存',
  },

  done: {
    retried: takes('已重试'),
    cancelled: takes('已取消'),
    resolved: takes('已处理'),
    hold: takes('已暂扣'),
    release: takes('已放行'),
    next: takes('将优先运行'),
  },
  none: {
    retried: '这里没有可以重试的内容。',
    cancelled: '这里没有可以取消的内容。',
    resolved: '已没有需要处理的内容。',
    hold: '这里没有可以暂扣的内容。',
    release: '这里没有暂扣中的内容。',
    next: '这里没有等待中的内容。',
  },
  changedMeanwhile: (n) => `${countText(n)} 版在此期间有了变化，保持原样。`,
  rowResolved: (row) => `行“${row}”已处理。`,
  meansFailed: (status) => `从现在起，状态“${status}”表示失败。`,
  countAsFailed: (n) => `${countText(n)} 版此前看似失败，现在计为失败。`,
  staysAsItWas: (file) => `${file}：保持原样`,
  nothingToPlay: '这里没有可以播放的文件',
  evidenceExported: '证据已导出',
  tooManyToDrag: (most) => `一次最多可拖出 ${countText(most)} 个文件`,
  selectFewer: '请少选一些，或打开批次的文件夹。',
  backedUp: '存储已备份',
  noTable: '剪贴板上没有表格',
  copyTable: '请在电子表格软件中连同表头一起复制单元格，再重新粘贴。',
  resultsWritten: '结果已写入',
  showResults: '在文件夹中显示',
  resultsShown: '已在文件夹中显示',
  updated: '批次已按文件更新',
  willRender: (n) => `将生成 ${countText(n)} 版。`,
  shelved: {
    archived: (batch) => `“${batch}”已归档`,
    deleted: (batch) => `“${batch}”已删除`,
    bringBack: '一天之内，可以在“已归档”中找回。文件会保留。',
  },

  delivery: {
    delivered: '已交付',
    'nothing-new': '没有新内容可交付',
    nothing: '没有可交付的内容',
    cancelled: '交付已取消',
    of: (batch, outcome) => `${batch}：${outcome}`,
    to: (what, place) => `${what} → ${place}`,
    cancelling: '正在取消：先完成当前文件。',
    looking: '正在查找新内容…',
  },

  rowGone: '该行已不在其表格中',

  sheetKept: (name) => `已导入“${name}”，但未启动。`,
  sheetKeptWhere: '它连同你填写的内容已放入批次列表。',
  discarded: (name) => `已放弃“${name}”`,
  sheetLeft: (name) => `“${name}”还不能导入，已关闭。`,
  sheetLeftFor: '你填写的内容已保留，再次打开它时会恢复。',
  sheetGone: (name) => `“${name}”已不再打开`,
  pasteAgain: '它是粘贴的，还不能导入。请再次粘贴：你填写的内容会恢复。',
  openAgain: '再次打开',
  openedAgain: '已打开',
  sheetKeptInPart: '它已放入批次列表，但不含尚无法理解的填写内容。',

  oneMore: {
    notAsked: '没有追加新的一版',
    noneFinished: '这里的行都没有已完成的版。',
    ofRow: (row) => `行“${row}”再来一版，等你同意费用后提交`,
    ofRows: (n) => `${countText(n)} 行各再来一版，等你同意费用后提交`,
    how: '表格上方的“运行”会说明费用。按 Ctrl+Z 可撤销。',
  },

  renderAgain: {
    ofRows: (n) => `${countText(n)} 行将重新生成，等你同意费用后提交`,
    how: '现有文件保留为先前版本。表格上方的“运行”会说明费用。在发送之前，可按 Ctrl+Z 或用“保留先前的文件”收回。',
  },

  edits: {
    copied: cells('复制'),
    cut: cells('剪切'),
    pasted: cells('粘贴'),
    changed: cells('更改'),
    cleared: cells('清空'),
    filled: rows('填充'),
    inserted: rows('插入'),
    deleted: rows('删除'),
    duplicated: rows('复制出'),
    toRenderAgain: (n) => `${countText(n)} 行将重新生成，运行后开始`,
    keptEarlier: (n) => `已保留 ${countText(n)} 行先前的文件`,
    moved: rows('移动'),
    nothingToReplace: '没有可替换的内容',
    replaced: (inCells, inRows) => `已替换 ${countText(inCells)} 个单元格（${countText(inRows)} 行）`,
    addedColumn: '已添加一列',
    removedColumn: '已移除一列',
    movedColumn: '已移动一列',
    mappedColumn: '已更改一列的映射',
    ignoredWarnings: '已更改被忽略的警告',
    setVariables: '已更改变量',
    setOperation: '已更改未填操作的行的操作',
    nothingToUndo: '没有可撤销的操作',
    nothingToRedo: '没有可重做的操作',
    nothingChanged: '没有任何更改',
    undone: '已撤销',
    redone: '已重做',
    historyEnded: '引擎已重新启动：此前的编辑仍在，但不能再撤销。',
    notEdited: '表格无法编辑。',
    mostTakes: (most) => `一行最多 ${most} 版。`,
    refused: (n) => `${countText(n)} 行保持原样`,
    refusedRow: (row, line, reason) => `${row}（第 ${line} 行）：${reason}`,
    andMore: (n) => `还有 ${countText(n)} 行。`,
    sortToMove: '请点击表头“#”按行号排序，再移动各行。',
    onlyInOrder: '只有按表格的顺序显示时才能移动行',
    tooManyToFill: '用来填充的行太多',
    fillFewer: (most) => `一次最多用 ${countText(most)} 行来填充，或改用复制和粘贴。`,
  },

  waits: {
    held: '已被你暂扣：等待放行。',
    forPickOf: (row) => `等待你为行“${row}”选定文件。`,
    forRow: (row) => `等待行“${row}”。`,
    forDraft: (row) => `等待行“${row}”：它是草稿，需由你运行。`,
    forStart: '等待批次开始。',
    pausedBy: (why) => `批次已暂停：${why}。`,
    paused: '批次已暂停。',
    forHours: (time) => `等到 ${time}：批次只在其时段内发送。`,
    gatewayAsks: (time) => `网关要求等到 ${time}。`,
    forTrouble: (trouble) => `${trouble}：恢复后发送。`,
    forFirst: (row) => `等待同类中的第一行“${row}”通过验证。`,
    until: (time) => `等到 ${time} 发送。`,
    forPlace: (n, family) => `等待空位：网关上的${spaced(family)}已有 ${countText(n)} 版，达到上限。`,
    forTurn: '等待轮到此行。',
    forTurnAt: (pace) => `等待轮到此行：每秒最多 ${pace} 个请求。`,
  },
  tryingAgain: (time) => `将于 ${time} 重试。`,

  earlier: {
    rehearsed: (name, time) => `曾于 ${time} 以“${name}”之名彩排。`,
    imported: (name, time) => `曾于 ${time} 以“${name}”之名导入。`,
    notStarted: (name, time) => `曾于 ${time} 以“${name}”之名导入，尚未开始。`,
    nothingPaid: '那次没有付费。',
    nothingSent: '那个批次没有发送任何请求。要运行它，打开后开始即可。',
    paysAgain: (n) =>
      `在你的网关上开始，就会重新生成，并为${n === undefined ? '其请求' : ` ${countText(n)} 个付费请求`}再次付费。`,
  },
  outdatedElectron: (version) =>
    `Electron ${version} 已不再获得安全修复，只供测试：自己的夜间运行请用最新的 Electron。`,

  obstacle: {
    unread: '设置尚未读取。',
    noGateway: '还没有连接网关。连接后才能正式生成。',
    noKey: '缺少网关的密钥。在设置中输入后才能正式生成。',
  },

  needsYou: '需要你处理',
  pausedAt: (percent) => `暂停于 ${percent}`,
  retryFailed: '重试所有失败的行',
  retryCancelled: '重试所有已取消的行',
  retryBoth: '重试所有失败和已取消的行',
};
