import { countText } from '../../domain/base/text.ts';
import type { HomeWords } from '../en/home.ts';
import { commonZh } from './common.ts';

export const homeZh: HomeWords = {
  greeting: '夜里交给它一份表格。',
  promise:
    'Nocturne 在夜间通过你的 AI 网关，把一份提示词表格生成为歌曲、视频和图像。到了早晨，每一行要么是经过校验、命名正确的文件，要么是注明原因的例外。未经你同意，任何一行都不会重复付费。',

  ways: {
    rehearse: '用内置网关彩排',
    rehearseAbout: '在本机上完整走一遍夜间运行：生成真实的文件，不产生费用，也不需要密钥。',
    rehearseElsewhere: '仅限本机上的存储，可在设置中切换。',
    connect: '连接你的网关',
    connectAbout: '填写网关的基础 URL 和你的密钥。在你开始批次之前，不会发送任何内容。',
    connected: (baseUrl) => `当前：${baseUrl}。可更改，或输入另一个密钥。`,
  },

  begin: {
    title: '从表格开始',
    importFile: '导入文件…',
    importAbout: 'CSV、TSV、Excel、OpenDocument',
    paste: '粘贴表格',
    pasteAbout: '来自 Excel、LibreOffice、Google 表格',
    template: '从模板新建…',
    templateAbout: '可直接运行的示例和链式表格',
    empty: '空表格',
    emptyAbout: '直接开始输入',
    newSheet: '新表格',
    recent: '最近的表格',
    gone: '此文件已不存在。',
    goneShort: '已不存在',
    forget: (name) => `从最近的表格中移除“${name}”`,
  },

  connect: {
    chooseSheet: '选择表格…',
    saved: '已保存',
    savedAbout: '在你开始批次之前，不会发送任何内容。',
    backTo: (sheet) => `返回“${sheet}”`,
    backToBatch: '返回批次',
  },

  rehearse: {
    title: '选择彩排内容',
    night: '60 行的夜间运行',
    nightAbout: '歌曲、短片和图片，就像平常一晚的工作。',
    chain: '20 行的链式表格',
    chainAbout: '环环相扣的行：歌词、歌曲、视频，以及由它们衍生的内容。',
    all: (n) => `全部 ${n} 种操作`,
    allAbout: '网关能做的每件事各一行。',
    mistakes: '满是错误的表格',
    mistakesAbout: '看看每个错误如何在付费之前被发现并说明。',
    orOwn: '也可以彩排你自己的内容：把表格拖到窗口中的任意位置，或者',
  },

  tour: {
    offer: '带我看看',
    offerAbout: '途中会有简短的提示。按 F6 可转到提示中的按钮，按 Esc 结束导览。',
    label: (at, of) => `导览提示，第 ${at} 条，共 ${of} 条`,
    count: (at, of) => `${at} / ${of}`,
    next: '下一条',
    leave: '退出导览',
    end: '结束导览',
    left: '已退出导览',
    leftAbout: '在“帮助”中点“带我看看”即可重新开始。',
    spoken: (hint) => `${hint}按 F6 转到此提示，按 Esc 结束导览。`,
    hints: {
      rows: '表格的每一行对应一件要生成的内容。“列映射”说明各列的含义，本页末尾的“表格内容”显示每一行会发送什么。',
      problems: '表格中的任何问题都会在付费之前找出，并列在这里。“在此修改”会打开网格，并转到对应的单元格。',
      start:
        '开始之前，可以设置绝不会超过的上限，也能看到夜间运行预计何时结束、需要多少费用。本次彩排免费，随时可以开始。',
      night: '每一行的状态会随进展更新。窗口可以关闭：Nocturne 会先询问，然后夜间运行在后台继续。',
      fallen: (hasAny) =>
        hasAny
          ? '有些行失败或结果不明，“原因”列会说明为什么。任何内容都不会重复付费：只有你可以让它们重新发送。'
          : '这次没有行失败。如果有，“原因”列会说明为什么；任何内容都不会重复付费：只有你可以让它重新发送。',
      ledger: '夜间运行结束了。账本逐一核对每一版，从计划到文件夹；还有事要处理时，旁边就有对应的按钮。',
      review: '审阅时可以用键盘逐个查看文件：保留、淘汰、选定。“打开文件夹”会显示它们在磁盘上的位置。',
      own: '接下来是你自己的表格：在这里导入，或拖到窗口中。要真正生成，请在“欢迎”页连接你的网关，并先设一个较小的请求上限。',
    },
  },

  back: {
    title: '欢迎回来',
    nothing: '没有正在运行的批次，也没有等待你的批次。',
    nothingRuns: '没有正在运行的批次。',
    leftOver: '待完成',
    openSheet: '已打开的表格，还不是批次',
    moreLeft: (n) => `另有 ${commonZh.batches(n)}，见批次列表。`,
    need: (n) => `${commonZh.batches(n)}需要你处理`,
    running: '正在运行',
    queue: '队列',
    queueAbout: '在同一网关上，编号小的批次先发送；编号相同的批次轮流发送。',
    moveUp: (name) => `上移 ${name}（Alt+↑）`,
    moveDown: (name) => `下移 ${name}（Alt+↓）`,
    moved: (name, rank, isShared) => `${name} 现在排第 ${rank}${isShared ? '，与其他批次轮流发送' : ''}。`,
    runs: (standing, done, end) => `${standing}，${done}${end === undefined ? '' : `，完成时间：${end}`}`,
    thisNight: '本次夜间运行',
    lastNight: '上次夜间运行',
    batches: (names, others) => {
      if (names.length === 0) return commonZh.batches(others);
      return others === 0 ? names.join('、') : `${names.join('、')} 等 ${commonZh.batches(names.length + others)}`;
    },
    night: ({ began, length, isInterrupted, verified, cost }) => {
      const lasted = length === undefined ? '仍在运行' : `${isInterrupted ? '中断前历时' : '历时'} ${length}`;
      return `${began}，${lasted}。${commonZh.takes(verified)}已校验，${cost}`;
    },
  },

  templates: {
    title: '模板',
    about: '模板会在网格中打开，可以在其中修改。在你开始之前，不会发送任何内容。',
    chains: '链式表格：前后依赖的行',
    examples: '每种操作的示例',
    orColumnsOf: '或带有以下操作所需列的空表格：',
    columnsOf: '带有该操作所需列的空表格',
    anOperation: '选择操作',
    operations: '操作',
  },

  living: {
    sheet: '表格',
    hint: '表格的文件及其结果',
    noFile: '此表格不是从文件导入的',
    reimport: '重新导入…',
    compare: '与其他文件比较…',
    watch: '监视文件改动',
    writeResults: '写入结果',
    toCopy: '写到该文件旁的副本',
    toFile: '写到文件本身…',
    toChosen: '写到自选的文件…',
    duplicate: '将批次复制一份',
    asksToWrite: '把结果写入文件本身？',
    write: '写入文件',
    writes: (file) =>
      `“${file}”将增加 status、files、taskCode 和 failure 列。备份会保存为“.bak”。请先在其他程序中关闭该文件。`,
    hasChanged: (file) => `“${file}”已改动`,
    seeChanges: '查看改动',
    notNow: '以后再说',
    review: '在应用之前，请先查看改动。',
  },

  difference: {
    none: '没有改动',
    some: '改动内容',
    invalid: (n) => `文件中有 ${commonZh.rows(n)}无法运行；网格中会显示问题所在。`,
    apply: '应用改动',
    applyAndRun: (requests) => `应用并运行 ${requests}`,
    counts: {
      new: (n) => [n, ' 行新增'],
      changed: (n) => [n, ' 行有改动'],
      details: (n) => [n, ' 行的改动无需新请求'],
      removed: (n) => [n, ' 行不在文件中'],
      locked: (n) => [n, ' 行正在生成，保持原样'],
      unchanged: (n) => [n, ' 行未变'],
    },
    removeRows: (n) => `移除文件中没有的 ${commonZh.rows(n)}。已生成的文件会保留。`,
    renderAgain: (n, requests) => `将引用了改动行的 ${commonZh.rows(n)}重新生成（${requests}）。`,
    noUndo: '应用后无法撤销，此前的编辑也无法再撤销。详情面板会列出每个改动行的先前文本。',
    nothingPaid: '不生成任何内容，也不产生费用。',
    notStarted: '在你开始批次之前，不会生成任何内容。',
    rehearsed: (n) => `${commonZh.requests(n)}发往内置网关，不产生费用。`,
    priced: (n, sum) => `${commonZh.paidRequests(n)}，按网关配置中的价格共 ${sum}。`,
    unpriced: (n) => `${commonZh.paidRequests(n)}，${n === 1 ? '' : '每个都'}可能扣费。`,

    rows: '有差异的行',
    headersAdded: (headers) => `新增的列：${headers.join('、')}`,
    headersRemoved: (headers) => `移除的列：${headers.join('、')}`,
    more: (n) => `还有 ${commonZh.rows(n)}。`,
    row: (name) => `行 ${name}`,
    kinds: {
      new: '新增',
      changed: '有改动',
      details: '无需新请求',
      removed: '不在文件中',
      locked: '保持原样',
    },
    less: '收起',
    whole: '显示全文',
  },

  store: {
    title: '存储',
    onThisComputer: '在本机上',
    onThisComputerAbout: '由此窗口生成。',
    onServer: '在服务器上',
    onServerAbout: 'PostgreSQL。由工作机生成，窗口只用于查看和决定。',
    address: '地址',
    addressHint: '与命令行中的写法相同。连接其他计算机时会加密，并核对其证书。',
    password: '密码',
    passwordStored: '已保存。输入新的可替换它。',
    passwordEmpty: '留空则使用 ~/.pgpass',
    passwordInMemory: '本机没有 Nocturne 可用的密钥环。关闭 Nocturne 后，密码就不再保留。',
    passwordKept: '由系统密钥环加密保存，仅用于此地址。',
    use: '使用此存储',
    test: '测试',

    unusable: '无法使用此存储',
    isReady: '服务器可以建立存储',
    isThere: '已有一个存储',
    server: (version) => `PostgreSQL ${version}`,
    schema: (version) => `存储版本 ${version}`,
    versions: (parts) => `${parts.join('，')}。`,
    willBeMade: '还没有存储，将新建一个。',
    holds: (batches) => `其中有 ${commonZh.batches(batches)}。`,

    noWorkers: '没有工作机在运行。',
    workers: (workers, names) =>
      `${countText(workers)} 台工作机：${names.join('、')}${workers > names.length ? `，另有 ${workers - names.length} 台` : ''}`,
    worker: (name, standing) => `${name}（${standing}）`,
    clockIsOff: '时钟不准',
    accounts: (n) => (n === 0 ? '没有账户' : `${countText(n)} 个账户`),
    toChange: (address) => `${address}：如需更改，请打开设置`,
    place: (database, host) => (host === undefined ? `本机上的 ${database}` : `${host} 上的 ${database}`),

    noKey: (command) => ['此批次有行在等待；一旦有持有该密钥的工作机，就会自动继续：', command],
    away: (since) => `服务器自 ${since} 起没有应答`,
    awayAbout: (address) => [
      '每秒都在询问 ',
      address,
      '。你看到的是当时的状态，恢复之前无法作任何更改。能连上它的工作机会继续工作。',
    ],
    noWorker: '此存储没有工作机在运行',
    noWorkerAbout: (command) => [
      '各行都在等待，但没有工作机来生成。请在任何一台有你的网关密钥的计算机上启动一个：',
      command,
    ],
    copyCommand: '复制命令',
    commandCopied: '命令已复制',

    doesNotOpen: '无法打开存储',
    doesNotOpenAbout: '此窗口不会发送任何内容。能连上服务器的工作机会继续工作。',
    tryAgain: '重试',
    change: '更改存储',
    workHere: '在本机上工作',
  },
};
