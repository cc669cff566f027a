import { countText } from '../../../domain/base/text.ts';
import type { EditWords } from '../../en/problems/edits.ts';

export const editZh: EditWords = {
  labels: {
    addColumn: (header) => `添加列“${header}”`,
    moveColumn: (header) => `移动列“${header}”`,
    removeColumn: (header) => `移除列“${header}”`,
    doNotSend: (header) => `不发送“${header}”`,
    mapColumn: (header, column) => `将“${header}”作为“${column}”`,
    setVariables: '设置变量',
    setOperation: '设置表格的操作',
    ignoreWarnings: '忽略警告',
    countWarnings: '重新计入已忽略的警告',
    editCell: (header) => `编辑“${header}”`,
    paste: (cells) => `粘贴 ${countText(cells)} 个单元格`,
    fillDown: (rows) => `向下填充 ${countText(rows)} 行`,
    clear: (cells) => `清除 ${countText(cells)} 个单元格`,
    insert: (rows) => `插入 ${countText(rows)} 行`,
    remove: (rows) => `移除 ${countText(rows)} 行`,
    renderAgain: (rows) => `重新生成 ${countText(rows)} 行`,
    keepEarlier: (rows) => `保留 ${countText(rows)} 行先前的文件`,
    duplicate: (rows) => `复制 ${countText(rows)} 行`,
    correct: (rows) => `更正 ${countText(rows)} 行`,
    replace: (found, rows) => `在 ${countText(rows)} 行中替换 ${found}`,
    move: (rows) => `移动 ${countText(rows)} 行`,
    clearUnused: (cells, header) => `清除 ${countText(cells)} 个未使用的“${header}”`,
  },
  noColumn: (header) => `表格中已没有列“${header}”。请重新查看表格。`,
  needsName: '列需要名称。',
  columnExists: (header) => `已有列“${header}”。`,
  mostColumns: (most) => `表格最多 ${most} 列。`,
  lastColumn: '表格至少需要一列。',
  idsStay: (now, then) => {
    const stay = now === undefined ? '各行保留导入时的 ID' : `各行保留列“${now}”中的 ID`;
    const anew = then === undefined ? '' : `要将“${then}”用作 ID，请将文件导入为新批次，并在那里把它映射到 row。`;
    return `${stay}：重新导入文件时按 ID 识别各行。${anew}`;
  },
  mostRows: (most) => `表格最多 ${countText(most)} 行。`,
  chooseRows: '请选择要写入的行。',
  chooseTwo: '请选择至少两行来向下填充。',
  gone: {
    fill: '填充所依据的行已不存在。',
    insert: '要在其旁边插入的行已不存在。',
    move: '要移到其旁边的行已不存在。',
    row: '它已不在表格中。',
    batch: '该批次已不存在。',
  },
  tooWide: (cells, columns) =>
    `这个表有 ${cells} 列宽，而从这里到最后一列只有 ${columns} 列。请从更靠左的位置开始，或先添加列。`,
  cellTooLong: (millions) => `一个单元格将超过 ${millions} 百万个字符。`,
  namesUse: (header) => `文件名用到了“${header}”，因此保留它的值。`,
  noneUnused: (header) => `“${header}”中已没有未使用的值。`,
  nothingFinished: '它没有仍然需要且已完成的版。',
  nothingToKeep: '它没有可以取代当前要求的先前文件。',
  alreadySent: '它的新请求已经发出，无法收回。先前的文件会与新文件一同保留。',
  holdsKey: '一个单元格将含有你的网关密钥，并随该行发送。请只在设置中输入密钥。',
  nothingTo: { undo: '没有可撤销的操作。', redo: '没有可重做的操作。' },
  tooQuick: '批次变化太快。请先暂停它，然后重试。',
  patternTooSlow: '这个表达式耗时过长。请简化它：避免在重复中嵌套重复。',
  living: {
    noFile: '该批次不是来自文件。请选择要与它对照的文件。',
    notKnown: '这次对照已不可用。请重新导入文件。',
    changed: (path) => `${path} 在对照之后发生了更改。请重新导入。`,
    asksMore: (unseen) =>
      `该批次在对照之后发生了更改：文件现在会发出 ${countText(unseen)} 个对照时没有显示的付费请求。请重新导入。`,
    unreadable: '无法读取该文件。',
  },
};
