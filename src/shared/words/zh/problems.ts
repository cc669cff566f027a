import { countText } from '../../domain/base/text.ts';
import type { ProblemsWords } from '../en/problems.ts';
import { editZh } from './problems/edits.ts';
import { sheetFileZh } from './problems/sheet-files.ts';

const isMeant = (meant: string | undefined): string => (meant === undefined ? '' : `是否想写${meant}？`);

/** 在列出的项目之后。 */
const andMore = (n: number, unit: string): string => (n > 0 ? `等，另有 ${countText(n)} ${unit}` : '');

export const problemsZh: ProblemsWords = {
  noneSaysWhat: (rows) => (rows === 0 ? '0 行' : `${countText(rows)} 行，${rows === 1 ? '' : '均'}未说明要生成什么`),
  sums: (sums) => sums.join(' 和 '),

  header: {
    meansOperation: (quoted, header) => ({
      message: `列${quoted}的所有单元格都是操作名称。`,
      remedy: `将它重命名为“operation”，或指明它就是操作列：命令行中用 --map "${header}=operation"，也可在窗口中选择。`,
    }),
    noOperation: (headers, nearest, operations) => ({
      message: `表格没有“operation”列。表头为：${headers}。`,
      remedy:
        nearest === undefined
          ? `添加“operation”列，说明每一行是什么：${operations.join('、')}；或将写有操作的表头映射到它；或为整张表格选择一个操作。如果表头在更下方，请选择它所在的行。`
          : `将表头${nearest}重命名为“operation”。`,
    }),
    duplicate: (name, columns) => ({
      message: `表头${name}出现了 ${columns.length} 次：${columns.join('、')} 列。`,
      remedy: '只保留其中一个，其余的重命名或删除，以明确要发送哪些单元格。',
    }),
    sameColumn: (other, name) => ({
      message: `表头${other}和${name}表示同一列。`,
      remedy: '重命名或删除其中一个，以明确要发送哪些单元格。',
    }),
    displaced: (name, column, other) => ({
      message: `列${name}不会发送：已将${other}选为${column}。`,
      remedy: '如果不想这样，请为另一个表头选择别的列。',
    }),
    taken: (name, column, other) => ({
      message: `列${name}不会发送：它的含义是${column}，而${other}已提供该列。`,
      remedy: '它会保留在表格中。若要改为发送它，请为它选择该列，并为另一个表头选择别的列。',
    }),
    chosenForNone: (header, meant) => ({
      message: `已为${header}选择了列，但表格中没有这个表头。`,
      remedy: meant === undefined ? '检查表格的表头行。' : isMeant(meant),
    }),
    chosenAsNone: (header, column, meant) => ({
      message: `已将${header}选为${column}，但没有任何操作有这一列。`,
      remedy: meant === undefined ? '选择某个操作的列，例如 prompt。' : isMeant(meant),
    }),
    unknown: (name, hints, nearest) => ({
      message: `没有任何操作有字段${name}；这一列不会发送。`,
      remedy:
        hints.length > 0
          ? `如果需要发送，请放入${hints.join('或')}；否则保持原样即可。`
          : nearest === undefined
            ? '如果需要发送，请检查拼写；否则保持原样即可。'
            : `如果指的是${nearest}，请改用此名；否则保持原样即可。`,
    }),
    matched: (name, columns) => ({
      message: `表头${name}对应到${columns.join('或')}。`,
      remedy: `请确认，或将表头重命名为${columns.join('或')}；如果不对，请选择别的列。`,
    }),
    missing: (letter, lines) => ({
      message: `${letter} 列没有表头，因此不会发送其单元格：${lines}。`,
      remedy: '如果需要发送，请为它添加表头。',
    }),
    unused: (operation, header, lines, meant, own) => ({
      message: `“${operation}”没有字段${header}，因此不会发送：${lines}。`,
      remedy:
        meant === undefined
          ? `清空这些单元格，或检查操作。“${operation}”的字段有 ${own.join('、')}。`
          : `改用${meant}列，或清空这些单元格。`,
    }),
    lines: (rows, named, more) =>
      rows === 1
        ? `第 ${named.join('、')} 行`
        : `共 ${countText(rows)} 行，位于第 ${named.join('、')} 行${andMore(more, '行')}`,
  },

  row: {
    noOperation: {
      message: '这一行没有指定操作。',
      remedy: '填写一个操作，例如音乐、图像或歌词；或删除这一行。',
    },
    unknownOperation: (name, { meant, column, operations }) => ({
      message: `没有名为${name}的操作。`,
      remedy:
        column === undefined
          ? `${isMeant(meant.length === 0 ? undefined : meant.join('或'))}可用的操作有：${operations.join('、')}。`
          : `填写${meant.join('或')}，并在${column}列中填写“yes”。`,
    }),
    holds: (column, text) => `“${column}”列的内容是${text}。`,
    writeWhole: (least, most, otherwise) => `填写 ${least} 到 ${most} 之间的整数；留空则为 ${otherwise}。`,
    noAccount: (name, meant, accounts) => ({
      message: `该批次没有账户${name}。`,
      remedy: `${isMeant(meant)}它的账户有：${accounts.join('、')}。留空则可用其中任何一个。`,
    }),
    unsendable: (text, is) => ({
      message: `单元格${text}含有${is === 'nul' ? ' NUL 字符' : '半个字符（孤立的代理项）'}，任何网关都不接受。`,
      remedy: '重新输入这个单元格的文本。',
    }),
    extraCell: (text, at, last) => ({
      message: `这一行的单元格比表头多：${at} 列的${text}没有表头；最后一个表头在 ${last} 列。`,
      remedy: '如果文本是在逗号处被拆开的，请用双引号括起来；否则删除多余的单元格。',
    }),
    holdsKey: (where) => {
      const what = {
        header: '有一个表头',
        cell: '有一个单元格',
        composed: '代入内容后的单元格',
        variable: '该批次的一个变量',
        list: '单元格抽取所用的一个词表',
      }[where];
      return {
        message: `${what}含有网关密钥，若不处理会随该行发送；密钥未被保存。`,
        remedy: '从表格中删除密钥。密钥只应放在设置中。',
      };
    },
    unsendableVariable: (name) => ({
      message: `变量${name}含有 NUL 字符或半个字符，任何网关都不接受。`,
      remedy: '重新输入它的文本。',
    }),
    idUsed: (id, line) => ({
      message: `行 ID ${id}已${line === undefined ? '由另一行' : `在读入时的第 ${line} 行`}使用；ID 不区分大小写。`,
      remedy: '为这一行换一个 ID，或将其 ID 留空。',
    }),
    idLong: (id, characters, most) => ({
      message: `行 ID ${id}有 ${characters} 个字符：对文件名来说太长。`,
      remedy: `为这一行设置不超过 ${most} 个字符的 ID。`,
    }),
    idControls: (id) => ({
      message: `行 ID ${id}含有换行符或其他控制字符。`,
      remedy: '为这一行设置不含此类字符的 ID。',
    }),
    idMangled: (id, looksLike) => ({
      message: `行 ID ${id}看起来像是被电子表格软件改成的${looksLike === 'date' ? '日期' : '数字'}。`,
      remedy: '如果原本是别的内容，请将该列设为文本格式，然后重新输入 ID。',
    }),
    nothingToRender: (fields, operation) => ({
      message: `没有提示词或来源：${fields.join('、')} ${fields.length > 1 ? '均' : ''}为空。`,
      remedy: `“${operation}”需要${fields.length > 1 ? '其中至少一个' : `“${fields.join('、')}”`}：请填写（缺少该列时先添加），或删除这一行。`,
    }),
    duplicates: (named, rows, cost, takes) => ({
      message: `行${named.map(({ id, line }) => `${id}（第 ${line} 行）`).join('、')}${andMore(rows - named.length, '行')}完全相同；将付费 ${countText(rows)} 次${cost === undefined ? '' : `：${countText(cost.takes)} 版共 ${cost.all}，而只有第一行时为 ${cost.first}`}。`,
      remedy: `如果想要多个版本，请保留一行并设置“${takes}”；否则删除其余各行。`,
    }),
    manyChoices: (rows, most) => ({
      message: `这一行的选项会产生${rows === undefined ? '超过十亿' : ` ${rows} `}行；一行最多可展开为 ${most} 行。`,
      remedy: '去掉一些备选项或整个选项，或改为每行抽取一个。',
    }),
    unwritableChoice: {
      message: '这一行的某个备选项以“\\”结尾，后面紧跟花括号或“__”，看起来与 \\{ 和 \\__ 相同。',
      remedy: '在两者之间加一个空格，或改为每行抽取一个备选项。',
    },
  },

  sheet: {
    manyRows: (most, of, id, line) => ({
      message: `每个选项各成一行时，从第 ${line} 行的${id}起，表格超过 ${of === 'rows' ? `${countText(most)} 行` : `${most / 100} 亿个字符`}。`,
      remedy: '去掉一些备选项、将表格拆成几张，或改为每行抽取一个备选项。',
    }),
    muchText: (millions) => ({
      message: `单元格代入内容后，表格超过 ${millions / 100} 亿个字符。`,
      remedy: '减少或缩短代入的文本，或将表格拆成几张。',
    }),
  },

  cell: {
    is: (column, what) => `“${column}”：${what}。`,
    says: (column, sentence) => `“${column}”：${sentence}`,
    sentence: (what) => `${what}。`,
    notBoolean: (text) => ({
      message: `${text}既不是 true 也不是 false`,
      remedy: '填写 true 或 false（也可用 yes、no、1、0），或将单元格留空。',
    }),
    notWhole: (text) => ({
      message: `${text}不是整数`,
      remedy: '填写整数，例如 30，不带单位。',
    }),
    outOfRange: (text, least, most) => ({
      message: `${text}超出范围`,
      remedy: `填写 ${least} 到 ${most} 之间的整数。`,
    }),
    notNumber: (text, withPoint) => ({
      message: `${text}不是数字`,
      remedy: withPoint === undefined ? '填写数字，例如 12 或 7.5，不带单位。' : `请用小数点书写：${withPoint}。`,
    }),
    noItems: (text) => ({
      message: `${text}是没有项目的列表`,
      remedy: '用 | 分隔各项，或将单元格留空。',
    }),
    notArray: (text, is) => ({
      message: `${text}不是${is === 'no-json' ? '有效的 JSON 数组' : '由文本组成的 JSON 数组'}`,
      remedy: '用 | 分隔各项，或写成由文本组成的 JSON 数组，例如 ["calm", "piano"]。',
    }),
    unusualControl: (column, value) => ({
      message: `“${column}”为 ${value}；网关通常接受 0 到 100。`,
      remedy: '检查这个数字；它会原样发送。',
    }),
    longPrompt: (column, kilobytes, text) => ({
      message: `“${column}”超过 ${kilobytes} kB：${text}。`,
      remedy: '检查这是否确实是要付费生成的内容。',
    }),
    localFile: (column, file) => ({
      message: `“${column}”中的${file}是这台电脑上的文件，网关无法读取。`,
      remedy: `${NAME_A_PLACE}，或自行将文件放到网上并填写其 https:// 地址。`,
    }),
    noAddress: (column, text) => ({
      message: `“${column}”中的${text}不是网址。`,
      remedy: '它会原样发送。网址以 https:// 开头；这台电脑上的文件以其文件夹或 ./ 开头。',
    }),
    takesNoPicture: (column, reference) => ({
      message: `“${column}”中的${reference}是图片，而该列不接受图片。`,
      remedy: '请用在图片列中，例如“images”。',
    }),
    pictureInText: (column, reference) => ({
      message: `“${column}”将地址${reference}与其他文本放在了一起。`,
      remedy: '用 | 将它与其他图片分开。',
    }),
    localPicture: (column, reference) => ({
      message: `“${column}”中的${reference}是 Nocturne 在这台电脑上制作的图片，网关无法读取。`,
      remedy: `${NAME_A_PLACE}。`,
    }),
    endsFirst: (last, end, first, start) => ({
      message: `“${last}”为 ${end} 秒，不晚于“${first}”的 ${start} 秒。`,
      remedy: '让结束时间晚于开始时间。',
    }),
    noReference: (written) => ({
      message: `${written}不是对其他行的引用。`,
      remedy:
        '写成 {{ROW.taskId}}、{{ROW.result.musicUrl}}、{{ROW.output.1.url}} 或 {{ROW.output.1.lastFrame}}，其中 ROW 是另一行的 ID；如果这些花括号是文本的一部分，请写成 \\{\\{。',
    }),
    noVariable: (written, name, meant) => ({
      message: `${written}会原样发送：没有名为${name}的列或变量。`,
      remedy: `${isMeant(meant)}添加这个列或变量；如果这些花括号是文本的一部分，请写成 \\{。`,
    }),
    namesResults: (written, name) => ({
      message: `${written}指向列${name}，Nocturne 会在这一列写入结果，因此它不能成为文本的一部分。`,
      remedy: '为这一列换一个名称，并在这里写新的名称。',
    }),
    noList: (written, name, meant) => ({
      message: `${written}会原样发送：没有名为${name}且含有项目的词表。`,
      remedy: `${isMeant(meant)}添加这个词表；如果这是文本的一部分，请写成 \\__。`,
    }),
    nestedChoice: (written) => ({
      message: `选项${written}含有花括号或词表，它们会原样发送。`,
      remedy:
        '将每个备选项写成纯文本，或把内层选项放入 __name__ 所抽取的词表；如果这些花括号是文本的一部分，请写成 \\{。',
    }),
    growsTooLong: (text, millions) => ({
      message: `${text}代入所有内容后将超过 ${millions * 100} 万个字符。`,
      remedy: '减少或缩短代入的文本。',
    }),
  },

  reference: {
    missing: (reference, row, meant, ids) => ({
      message: `${reference}引用的行${row}不存在。`,
      remedy:
        meant === undefined
          ? `按“${ids}”列填写行 ID；没有 ID 的行按所在行号得名：“r0002”。`
          : `${isMeant(meant)}按“${ids}”列填写行 ID。`,
    }),
    toItself: (reference) => ({
      message: `${reference}引用了它自己所在的行，这样会一直等待自己。`,
      remedy: '请引用其他行。',
    }),
    circle: (rows, more, first) => ({
      message: `这些行循环等待，都无法开始：${
        first === undefined
          ? `${rows.join('、')}${andMore(more, '行')}`
          : `${rows.join(' → ')} →${more > 0 ? ` 另有 ${countText(more)} 行 →` : ''} ${first}`
      }。`,
      remedy: '去掉它们之间的一个引用。',
    }),
    blocked: (row, skip) => ({
      message: `这一行需要行${row}，而那一行${skip === undefined ? '无法运行' : `已被跳过（“${skip}”）`}。`,
      remedy: skip === undefined ? '请先更正那一行。' : `清除那一行的“${skip}”，或将这一行也跳过。`,
    }),
    noPicture: (part, reference, row, operation, url) => {
      const [name, of] = part === 'cover' ? ['封面', '歌曲'] : ['最后一帧', '影片'];
      return {
        message: `${reference}是${of}的${name}，而行${row}（${operation}）不产生${of}。`,
        remedy: `引用一个产生${of}的行，或引用这一行的文件：${url}。`,
      };
    },
  },

  given: {
    needs: (column, reference, row, why) => `“${column}”需要行${row}的${reference}，但${why}。`,
    wrongType: (column, why) => `“${column}”由其他行填入：${why}。`,
    nothingToRender: (column, row) => `“${column}”由行${row}填入，但为空：没有可生成的内容。`,
    nothingYet: '它还没有结果',
    outputs: (n) => `它有 ${countText(n)} 个输出`,
    unknown: '它的结果未知',
    hasNo: (path, holds) => `它的结果没有${path}；${holds}`,
    hasSeveral: (path, places, holds) => `它的结果有 ${places} 处${path}；${holds}`,
    isNull: '它为 null',
    isNoText: (holds) => `它不是文本：${holds}`,
    isList: (items) => `它是含 ${items} 项的列表，从 0 数起`,
    isValue: (value) => `它是${value}`,
    isEmpty: '它为空',
    has: (names, more) => `它有${names.join('、')}${andMore(more, '个')}`,
  },

  internal: 'Nocturne 内部出错。请重试；如果再次发生，请连同日志一起报告。',

  noPattern: (why) => `这不是正则表达式：${why}`,

  must: {
    address: '必须是以 https:// 或 http:// 开头的网址',
    noUser: '不能带有用户名或密码',
    endWithPath: '必须以路径结尾：不含 ?、# 或反斜杠',
    nameHost: '必须包含主机，例如 gateway.example 或 127.0.0.1:8080',
    httpsForInternet: '必须以 https:// 开头：普通 http 会让密钥未经加密地通过互联网',
    httpsForNetwork: '必须以 https:// 开头：普通 http 会让密钥未经加密地通过网络',
    httpsForFiles: '必须以 https:// 开头：普通 http 会向网络暴露文件和密码',
    httpsForMessages: '必须以 https:// 开头：普通 http 会向网络暴露消息和令牌',
    httpsForPublic: '必须以 https:// 开头：普通 http 只能用于这台电脑和专用网络',
    noMetadata: '不能是链路本地地址或元数据地址：那里存放的是机器的机密，而不是媒体',
    notThisMachine: '不能是这台电脑，因为网关不在这台电脑上运行',
    placeAddress: '必须是以 https:// 开头的网址，不含 ? 和 #',
    bucket: '必须是 s3://BUCKET 或 s3://BUCKET/PREFIX',
    oneWay: '必须有 s3、webdav 和 command 中的一项',
    deleter: '缺失：deleteAfterBatch 需要一个用于删除的命令，它会得到该地址',
    noControls: '不能含有控制字符',
    noNul: '不能含有 NUL 字符',
    headerText: '必须是 1 到 200 个可打印的 ASCII 字符',
    headerName: '必须是标头的名称，例如 Idempotency-Key',
    ownHeader: '必须是专用的标头，例如 Idempotency-Key：当前这个已由 Nocturne 或 HTTP 本身使用',
    resultPath: '必须是路径，例如 /musicgen/result：不含 ?、#、空格、..，末尾没有斜杠',
    balancePath: '必须是路径，例如 /account/balance：不含 #、空格、..，末尾没有斜杠',
    answerPath: '必须是用点连接的名称，例如 result.credits',
    hostAndPort: '必须是 host 或 host:port，例如 media.example:8443',
    pattern: '必须是正则表达式（RE2：不支持环视和反向引用）',
    notOpen: '不能是 408 或 5xx：付费请求可能仍被接受',
    suggestionKey: '必须是用点连接的操作和列',
    currency: '必须是代码或单词，例如 USD 或 credits',
    scope: '必须是系列或操作，例如 musicgen 或 videogen-b/image/generate',
    numberOrText: '必须是数字或文本',
    oneOf: (values) => `必须是以下之一：${values.join('、')}`,
    atLeast: (least, isText) => (isText ? `至少要有 ${least} 个字符` : `至少为 ${least}`),
    atMost: (most, isText) => (isText ? `最多 ${most} 个字符` : `最大为 ${most}`),
    beOf: (type) => `必须是${TYPES[type] ?? ` ${type}`}`,
  },

  file: sheetFileZh,
  edits: editZh,

  profile: {
    sentence: (what) => (/[.。]$/u.test(what) ? what : `${what}。`),
    it: (must) => `${must}。`,
    unknownKey: '未知的键。',
    nameOperation: '用路径写出操作，例如 musicgen/music/generate：每个操作有各自的价格。',
    writeObject: '写成 JSON 对象；{} 是默认配置。',
    correct: '请更正，或将其去掉。',
    correctOrDefault: (value) => `请更正，或去掉以使用默认值（${value}）。`,
    removeOr: (keys) =>
      keys.length === 0
        ? '请去掉；范围是系列或操作，例如 videogen-b/image/generate。'
        : `请去掉，或写成以下之一：${keys.join('、')}。`,
    useHttps: '请使用 https。如果网关在专用网络中且没有 https，请在网关配置中加上 "allowPlainHttp": true。',
    leaveOut: '请去掉。',
  },
};

const NAME_A_PLACE = '指定一个自己的位置来存放此类文件（窗口：文件存放处；命令行：--files-place FILE）';

const TYPES: Readonly<Record<string, string>> = {
  int: '整数',
  number: '数字',
  string: '文本',
  boolean: ' true 或 false',
  object: '对象，写在 { } 中',
  record: '对象，写在 { } 中',
  array: '列表，写在 [ ] 中',
};
