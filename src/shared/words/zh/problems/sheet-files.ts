import { countText } from '../../../domain/base/text.ts';
import type { SheetFileWords } from '../../en/problems/sheet-files.ts';

const SPLIT = '请将表格拆分为几个表格。';
const SAVE_AS_CSV = '请将表格另存为“CSV UTF-8”。';
const CHOOSE_INSIDE = '请选择其中的表格文件。';
const REMOVE_PASSWORD = '请用电子表格程序打开它，移除密码后再次保存。';

const some = (places: string, more: number): string => `${places}${more > 0 ? `，另有 ${countText(more)} 个` : ''}`;

export const sheetFileZh: SheetFileWords = {
  isFolder: (path) => ({ message: `${path} 是文件夹，不是表格。`, remedy: CHOOSE_INSIDE }),
  notFile: (path) => ({ message: `${path} 不是文件。`, remedy: '请选择表格文件。' }),
  noFile: (path) => ({ message: `没有文件 ${path}。`, remedy: '请检查其名称和所在文件夹。' }),
  mayNot: (path) => ({ message: `你没有读取 ${path} 的权限。`, remedy: '请赋予自己读取权限，或将它复制到别处。' }),
  isBusy: (path) => ({ message: `${path} 已在另一个程序中打开。`, remedy: '请在那里关闭它，然后重试。' }),
  cannotRead: (path, why) => ({ message: `无法读取 ${path}：${why}。`, remedy: '请检查该文件及其磁盘。' }),
  changed: (path) => ({ message: `${path} 在 Nocturne 读取时发生了更改。`, remedy: '请保存它，稍等片刻后重试。' }),
  tooLarge: (path, mebibytes, most) => ({
    message: `${path} 有 ${mebibytes} MiB；Nocturne 最多读取 ${most} MiB。`,
    remedy: SPLIT,
  }),
  tooMuchMemory: (path, mebibytes) => ({ message: `读取 ${path} 需要超过 ${mebibytes} MiB 的内存。`, remedy: SPLIT }),
  tooSlow: (path, seconds) => ({
    message: `未能在 ${seconds} 秒内读完 ${path}。`,
    remedy: '请将表格拆分为几个表格，或另存为“CSV UTF-8”。',
  }),
  readerEnded: (path, why) => ({
    message: `无法读取 ${path}：${why}。`,
    remedy: '请重试。如果再次发生，请将表格另存为“CSV UTF-8”，或拆分为几个表格。',
  }),
  tooManyColumns: (columns, most) => ({
    message: `表格有 ${columns} 列；Nocturne 最多读取 ${most} 列。`,
    remedy: '请删除不想发送的列。',
  }),
  tooManyLines: (most) => ({ message: `表格超过 ${most} 行，这是电子表格程序的上限。`, remedy: SPLIT }),
  tooMuchText: (millions) => ({ message: `表格的单元格总共超过 ${millions} 百万个字符。`, remedy: SPLIT }),

  empty: {
    file: '文件是空的。',
    sheet: '表格是空的。',
    below: (line) => `第 ${line} 行及以下没有任何内容。`,
    noRows: '表格只有表头行，没有数据行。',
    remedy: '请写一行包含列名的表头，例如“row,operation,prompt”，然后每行写一条。',
    chooseAnother: (sheets) => `请写入数据行，或选择工作簿中的另一张工作表：${sheets.join('、')}。`,
  },
  linesAbove: (header, first) => ({
    message: `第 ${header} 行被读作表头；它上方从第 ${first} 行起的内容不会读取。`,
    remedy: '如果那些是数据行，请将表头放到它们上方。如果表头是另一行，请选择那一行。',
  }),

  unsupported: {
    pdf: '这是 PDF 文档，不是表格。',
    png: '这是 PNG 图片，不是表格。',
    jpeg: '这是 JPEG 图片，不是表格。',
    gzip: '这是 gzip 压缩包，不是表格。',
    sqlite: '这是 SQLite 数据库，不是表格。',
    webPage: '这是网页，不是表格。',
    xml: '这是 XML 文件，不是 CSV、TSV、XLSX 或 ODS 表格。',
    rtf: '这是文本文档（RTF），不是表格。',
    xls: '这是旧的“.xls”格式工作簿，Nocturne 无法读取。',
    xlsb: '这是二进制工作簿（“.xlsb”），Nocturne 无法读取。',
    docx: '这是文本文档（“.docx”），不是表格。',
    pptx: '这是演示文稿（“.pptx”），不是表格。',
    numbers: '这是 Numbers 文档，Nocturne 无法读取。',
    archive: '这是压缩包，不是表格。',
    openDocument: '这是 OpenDocument 文本、绘图或演示文稿，不是表格。',
    remedy: '请用电子表格程序打开它，另存为“.xlsx”或“CSV UTF-8”。',
  },
  password: {
    workbook: { message: '工作簿受密码保护。', remedy: REMOVE_PASSWORD },
    file: { message: '文件受密码保护。', remedy: '请移除密码后再次保存。' },
  },

  encodings: {
    'windows-1252': 'Windows-1252（西欧）',
    'windows-1251': 'Windows-1251（西里尔）',
    gbk: 'GBK（中文）',
    shift_jis: 'Shift-JIS（日文）',
  },
  guessed: (encoding) => ({
    message: `文件不是 UTF-8；Nocturne 按 ${encoding} 读取。`,
    remedy: '请检查文字。如果不正确，请选择另一种编码，或将表格另存为“CSV UTF-8”。',
  }),
  notUtf8: { message: '文件声明为 UTF-8，但含有不属于 UTF-8 的字节。', remedy: SAVE_AS_CSV },
  halfCharacter: { message: '文件是 UTF-16，却在一个字符中间结束。', remedy: SAVE_AS_CSV },
  lineTooLong: (line, millions) => ({
    message: `文件第 ${line} 行超过 ${millions} 百万个字符。`,
    remedy: `请用文本编辑器查看第 ${line} 行：它不是表格的一行。`,
  }),
  quotes: {
    open: (line, millions) =>
      `文件第 ${line} 行中单元格的左引号${millions === 0 ? '' : `在 ${millions} 百万个字符内`}一直没有闭合。`,
    after: (line) => `文件第 ${line} 行开始的单元格，在右引号之后还有文字。`,
    remedy: (line) => `请用文本编辑器查看第 ${line} 行：带引号的单元格以引号结尾，其中的引号要写两次（""）。`,
  },
  delimiter: (text) => ({
    message: `${text} 不能用来分隔一行中的单元格。`,
    remedy: '请选择引号和换行以外的一个字符，例如逗号、分号或制表符。',
  }),

  damaged: (how) => ({
    message: `工作簿已损坏：${how}。`,
    remedy: '请用电子表格程序打开它并再次保存，或从来源重新获取。',
  }),
  damage: {
    noSheet: '没有工作表',
    noEnd: '没有结尾',
    directory: '目录已损坏',
    outside: '目录指向文件之外',
    rowNumbers: '行号有误',
    merged: '合并的单元格重叠',
    entries: (count) => `它声称含有 ${count} 个文件`,
    twice: (part) => `其中有两个 ${part}`,
    missing: (part) => `缺少 ${part}`,
    sheetMissing: (sheet) => `缺少工作表 ${sheet}`,
    cutOff: (part) => `${part} 被截断`,
    compression: (part) => `${part} 使用了工作簿不会用的压缩方式`,
    packed: (part) => `${part} 无法解压`,
    differs: (part) => `${part} 与目录所述不符`,
    isUtf16: (encoding) => `声明的编码是 ${encoding}，实际是 UTF-16`,
    otherEncoding: (encoding) => `声明的编码是 ${encoding}，实际不是`,
    unknownEncoding: (encoding) => `声明的编码 ${encoding} 未知`,
    halfCharacter: '在一个字符中间结束',
    notUtf8: '含有不属于 UTF-8 的字节',
    inRow: (row) => `（第 ${row} 行）`,
    broken: (part, at, why) => `${part} 已损坏${at}（${why}）`,
  },
  unpackedTooLarge: (mebibytes) => ({
    message: `工作簿解压后超过 ${mebibytes} MiB。`,
    remedy: '请删除不需要的图片和工作表，或将表格另存为“CSV UTF-8”。',
  }),
  documentType: (part) => ({
    message: `工作簿在 ${part} 中声明了文档类型；电子表格程序不会这样做，因此 Nocturne 没有读取它。`,
    remedy: '除非知道它的来源，否则不要在别处打开；如果知道，请再次另存为“.xlsx”。',
  }),
  noSuchSheet: (sheet, sheets) => ({
    message: `工作簿中没有工作表 ${sheet}。`,
    remedy: `其中的工作表有 ${sheets.join('、')}。`,
  }),
  otherSheets: (sheet, others) => ({
    message: `只读取工作表 ${sheet}；工作簿中还有 ${others.join('、')}。`,
    remedy: '若要使用另一张，请按名称选择。',
  }),
  externalLink: {
    message: '工作簿引用了其他文件的单元格。Nocturne 不会打开那些文件，而是使用工作簿保存时的文字。',
    remedy: '如果那些文件已更改，请用电子表格程序打开工作簿，更新链接后保存。',
  },
  hiddenRows: (rows, places, more) => ({
    message: `工作簿中${rows === 1 ? `第 ${places} 行被隐藏` : `有 ${countText(rows)} 行被隐藏（${some(places, more)}）`}；隐藏的行与其他行一样会生成并付费。`,
    remedy: '请显示并检查它们。如果不需要，请删除，或在其“skip”列中写“yes”。',
  }),
  hiddenColumns: (columns, names, more) => ({
    message: `工作簿中${columns === 1 ? `列 ${names} 被隐藏` : `有 ${columns} 列被隐藏（${some(names, more)}）`}；隐藏的列与其他列一样会发送。`,
    remedy: '请显示并检查它们，不需要的请删除。',
  }),
  formulaError: (cell, text) => ({
    message: `单元格 ${cell} 显示错误 ${text}。`,
    remedy: '请更正其公式，或直接输入文字。',
  }),
  formulaWithoutResult: (cell) => ({
    message: `单元格 ${cell} 是公式，但文件中没有其结果。`,
    remedy: '请用电子表格程序打开工作簿并保存，使结果存入文件；或直接输入文字。',
  }),
  impreciseNumbers: (column, _lines, places, more) => ({
    message: `列 ${column} 中有超过 15 位的数字，电子表格会丢失末几位：第 ${some(places, more)} 行。`,
    remedy: '如果这些是编号，请将该列设为文本格式后重新粘贴。',
  }),

  results: {
    changed: (path) => `${path} 在 Nocturne 与批次对照之后发生了更改。请重试。`,
    csvCopyOnly: 'Nocturne 只能将结果写入 CSV 和 XLSX 文件；对这个文件，可以生成 CSV 副本。',
    notInto: (path, why) => `无法将结果写入 ${path}：${why}。请用电子表格程序再次保存它。`,
    sheetUnknown: '不知道是哪张工作表',
    sheetElsewhere: '工作表不在工作簿所述的位置',
    otherXml: '其 XML 与电子表格程序写出的不同',
    noCells: '工作表没有单元格',
    noFreeColumns: '单元格旁边没有空列',
    encoding: '文件的编码无法容纳结果。请写入 UTF-8 编码的副本。',
    copyIsCsv: '副本是 CSV 文件。',
    copyIsUtf8: '副本是 UTF-8 编码。',
    differing: (rows) =>
      `有 ${countText(rows)} 行与文件不同；写入的文件保留其原文，实际渲染的内容在媒体文件夹的 sheet.results.csv 中。`,
    notInFile: (rows) => `批次中有 ${countText(rows)} 行不在文件中；它们的结果在媒体文件夹的 sheet.results.csv 中。`,
    otherName: (path, extension) => `${path} 与其内容不符。请选择以“${extension}”结尾的名称。`,
    holdsElse: (path) => `${path} 中有其他内容，且 ${path}.bak 已存在。请指定另一个文件。`,
    kept: (path) => `${path} 中原有的内容保留为 ${path}.bak。`,
    unwritable: (path, why) => `无法写入 ${path}：${why}`,
    noOriginal: '这个表格不是来自文件。请指定要写入的文件。',
  },
};
