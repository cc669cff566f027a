import { countText } from '../../domain/base/text.ts';
import type { SheetWords } from '../en/sheet.ts';
import { commonZh } from './common.ts';

export const sheetZh: SheetWords = {
  discard: '放弃',
  checking: '正在检查…',
  openBatch: '打开该批次',
  formats: {
    xlsx: 'Excel 工作簿',
    ods: 'OpenDocument 电子表格',
    clipboard: '粘贴的表格',
  },
  readSoFar: (n) => `正在读取… 已读 ${commonZh.rows(n)}`,
  canRun: (n) => `${countText(n)} 行可运行`,
  skipped: (n) => `已跳过 ${countText(n)} 行`,
  unreadable: '无法读取文件：请查看错误说明。',
  allRead: (summary) => `所有行均已读取：${summary}。`,
  awaited: '读完所有行后显示。',

  noHeader: {
    title: (line) => `第 ${countText(line)} 行被当作表头，但其中没有一个单元格是已知的列。`,
    pasted: '如果这一行已经是数据，请在它上面加一行表头，再重新复制表格。',
    ofFile:
      '如果表头在更靠下的位置，请在上方选择它所在的行。如果这一行已经是数据，请在它上面加一行表头，保存文件后重新导入。',
    orMap: '否则，请在下方映射各列。',
  },

  work: {
    title: '将要生成的内容',
    none: '此表格还没有可运行的行。请先修正下面的错误。',
  },

  reading: {
    encoding: '编码',
    encodings: {
      'windows-1252': 'Windows-1252（西欧）',
      'windows-1251': 'Windows-1251（西里尔文）',
      gbk: 'GBK（中文）',
      shift_jis: 'Shift-JIS（日文）',
    },
    delimiter: '分隔符',
    comma: '逗号',
    semicolon: '分号',
    tab: '制表符',
    verticalBar: '竖线',
    workbookTab: '工作表',
    headerLine: '表头所在行',
    headerInLine: (line) => `表头在第 ${countText(line)} 行`,
  },

  preview: {
    title: '表格内容',
    first: (n) => `此处为前 ${commonZh.rows(n)}。`,
    firstOf: (n, all) => `共 ${commonZh.rows(all)}，此处为前 ${commonZh.rows(n)}。`,
    openRow: '展开一行，可查看为它发送的内容。',
    table: '表格的前几行',
    sent: '发送的内容',
    sentFor: (row) => `第 ${row} 行发送的内容`,
    nothingSent: '不会发送任何内容：该行没有操作。',
  },

  mapping: {
    title: '列映射',
    help: '表格语法帮助',
    isKept: '已沿用你上次为这些表头所作的选择。',
    reset: '重置映射',
    confirm: (n) => `确认 ${countText(n)} 个表头`,
    mapped: (n) => `已映射 ${commonZh.columns(n)}`,
    toConfirm: (n) => `${countText(n)} 列待确认`,
    unsent: (n) => `${countText(n)} 列不发送`,
    variables: (n, given) => {
      if (given === n) return `${countText(n)} 个变量已有值`;
      const some = given === 0 ? `${countText(n)} 个变量` : `${countText(n)} 个变量中 ${countText(n - given)} 个`;
      return `${some}没有值`;
    },

    header: '你的表头',
    match: '匹配情况',
    mapsTo: '映射到',
    noHeader: '（无）',
    of: (header) => `“${header}”的映射`,
    how: {
      exact: '完全匹配',
      alike: '相近，待确认',
      synonym: '含义相近，待确认',
      chosen: '由你指定',
      ignored: '不发送，由你指定',
      unknown: '不是已知的列，不发送',
      nameless: '没有表头，不发送',
    },
    mayMean: (column) => `不发送——是否为“${column}”？`,
    likely: '可能的列',
    notSent: '不发送',
    notSentHelp: '单元格仍可通过 {表头} 使用它的内容。',
    columns: (names) => names.join('、'),
  },

  operation: {
    missing: '有些行没有操作。这些行要生成什么？',
    given: '没有操作的行将生成：',
    label: '没有操作的行所用的操作',
    choose: '选择操作',
    noneHelp: '没有操作的行会报错。',
    all: '操作',
  },

  correction: {
    use: (text, n) => (n === 1 ? `改为 ${text}` : `全部 ${commonZh.rows(n)}改为 ${text}`),
    chooseAccount: (n) => (n === 1 ? '选择账户' : `为全部 ${commonZh.rows(n)}选择账户`),
    chooseOperation: (n) => (n === 1 ? '选择操作' : `为全部 ${commonZh.rows(n)}选择操作`),
    allSuggestions: (n) => `采用全部 ${countText(n)} 条建议`,
    corrects: (cells, rest) =>
      `将更正 ${commonZh.cells(cells)}。${rest === undefined ? '' : `其余 ${rest.counts}不变。`}`,
    insteadOf: (text) => `替换“${text}”`,
    done: '已在所有行中更正',
    readAs: (header, written, instead) => `${header}：“${written}”按“${instead}”处理。`,
    readAsWritten: (written) => `按原文处理“${written}”`,
    readAllAsWritten: '全部按原文处理',
  },

  problems: {
    title: '错误和警告',
    none: '此表格没有问题。',
    noneElse: '此表格没有其他问题。',
    more: (n) => `还有 ${countText(n)} 个同类问题。`,
    onlyWarnings: (counts) => `${counts}。警告不会阻止行运行，请在开始前查看。`,
    withErrors: (counts) =>
      `${counts}。有错误的行不会运行，其他行照常运行。可以修正文件后重新导入，在这里修改这些行，或者不带它们直接开始。`,
    withoutRows: (counts) => `${counts}。没有读到任何行。请修正文件后重新导入。`,
    fixHere: '在此修改',
    fixHint: '导入表格但不开始，并转到该单元格',
    fixAllHint: '导入表格但不开始；在那里按一下即可在所有行中修正',
  },

  ignoring: {
    ignore: '忽略此类警告',
    ignoreOf: (kind) => `忽略此类警告：${kind}`,
    ignoreColumns: (n) => `全部 ${commonZh.columns(n)}都忽略`,
    hint: (n, kind) => `${kind}：${commonZh.warnings(n)}不再计入此表格。错误不能忽略。`,
    title: '已忽略',
    takeBack: '重新计入',
    takeBackOf: (kind) => `重新计入：${kind}`,
    ofColumn: (title, column) => `${title} · ${column}`,
  },

  variables: {
    title: '变量',
    about: '花括号中与任何列都不对应的名称。你填写的值会用于所有行。',
    asWritten: '按原文发送',
  },

  lists: {
    title: '词表',
    missing: '没有这个词表：文本将按原文发送。',
    open: '打开词表',
  },

  choices: {
    title: '选项',
    about: (cells) => `${commonZh.cells(cells)}含有 {红|绿|蓝} 这样的选项。`,
    draw: '每行抽取一个',
    drawHelp: '同一行每次抽到的都相同。',
    expand: '每个选项各成一行',
    expanded: (rows) => `所有组合：现为 ${commonZh.rows(rows)}。`,
    wouldExpand: (rows, now) => `所有组合：由 ${commonZh.rows(now)}变为 ${commonZh.rows(rows)}。`,
  },
};
