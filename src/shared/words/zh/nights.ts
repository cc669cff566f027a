import { countText } from '../../domain/base/text.ts';
import type { NightsWords } from '../en/nights.ts';
import { commonZh } from './common.ts';

const decisions = (unknown: number): string => (unknown === 0 ? '' : `${countText(unknown)} 版等待你决定。`);

const spendingLimit = (of: 'night' | 'month'): string => `设置的“支出”中${of === 'night' ? '每夜' : '每月'}的上限`;

export const nightsZh: NightsWords = {
  whatIsNight: '一夜指从中午到次日中午运行的一切；到中午仍在工作的那一夜，会持续到没有任何运行为止。',

  failures: {
    INPUT_INVALID: { title: '被网关拒绝', remedy: '阅读网关的说明，在表格中更正该行，然后重试。' },
    DEPENDENCY_FAILED: {
      title: '所引用的行没有给出所需内容',
      remedy: '重试所引用的行；如果那一行已完成，则修改它：这一行随后会自动继续。如果引用本身有误，请在表格中更正。',
    },
    LOCAL_FILE: {
      title: '这台电脑上的文件无法放到网关可读取的位置',
      remedy: '没有为它发送任何内容。解决关于该文件或存放处的问题，然后重试该行。',
      whileRetried: '无需操作：Nocturne 会自动重试。',
    },
    REMOTE_FAILED: {
      title: '网关未能生成',
      remedy: '重试该行。除非网关仍有结果，否则这是一个新的付费请求。',
    },
    MODERATED: { title: '未通过内容审核', remedy: '修改提示词：同样的文字会再次被网关拒绝。' },
    NETWORK_NOT_SENT: { title: '未发送', remedy: '无需操作：一旦能连接到网关，Nocturne 就会发送。' },
    GATEWAY_UNAVAILABLE: { title: '网关没有应答', remedy: '无需操作：Nocturne 会自动再次询问。' },
    DOWNLOAD_CORRUPT: { title: '下载不完整', remedy: '重试该行：文件会重新下载，不会重新生成。' },
    RESULT_EXPIRED: {
      title: '文件的地址已过期',
      remedy: '重试该行：Nocturne 会向网关索取新的地址。',
      whileRetried: '无需操作：Nocturne 会自动向网关索取新的地址。',
    },
    RATE_LIMITED: {
      title: '网关要求放慢速度',
      remedy: '无需操作：Nocturne 会等待网关要求的时长（未说明时长则稍等片刻），然后继续。',
    },
    AUTH_REJECTED: { title: '密钥被拒绝', remedy: '检查密钥和基础网址，然后继续。' },
    KEY_MISSING: { title: '没有这个网关的密钥', remedy: '输入这个网关的密钥，然后继续。' },
    BALANCE_EXHAUSTED: { title: '余额已用完', remedy: '在网关为账户充值，然后继续。' },
    CAP_REACHED: { title: '已达上限', remedy: '提高上限后继续，或将其余的留到另一夜。' },
    PRICE_UNKNOWN: {
      title: '没有价格，无法遵守金额上限',
      remedy:
        '在设置中为这个网关的配置添加价格，或取消金额上限，然后继续。命令行：nocturne resume BATCH --profile FILE，或使用 --max-cost off；每夜和每月的上限用 nocturne limits 取消。',
    },
    FUSE_BLOWN: { title: '接连出错的请求过多', remedy: '查看出错的行，然后继续。' },
    CANARY_FAILED: {
      title: '试跑行未能核实',
      remedy:
        '更正这些行或网关配置，然后继续：该类会再次先运行一个试跑行。也可直接发送其余各行；命令行：nocturne resume BATCH --no-canary。',
    },
    FINISH_BY: {
      title: '未能在截止时间前全部完成',
      remedy: '更改运行时间，然后继续。命令行：nocturne resume BATCH --finish-by TIME。已提交的内容不会丢失。',
    },
    GATEWAY_PROTOCOL: {
      title: 'Nocturne 不理解网关的应答',
      remedy: '将原始应答与网关配置对照，更正配置，然后继续。',
    },
    PROFILE_INVALID: {
      title: '该批次的网关配置已失效',
      remedy:
        'Nocturne 不会用它发送任何内容。在设置中更正这个网关的配置，然后继续：批次随后使用新的配置。命令行：nocturne resume BATCH --profile FILE。',
    },
    STORE_RESTORED: {
      title: '存储是较旧的副本',
      remedy:
        '它不知道该副本之后的付费请求。开始或继续之前，请将其中的行与网关对照：此后提交过的行会再次付费。此后的付费不计入当夜或当月的任何上限。',
    },
    DISK_FULL: { title: '磁盘已满', remedy: '腾出一些空间，然后继续。已生成的内容不会丢失。' },
    DISK_DENIED: {
      title: 'Nocturne 无法写入文件夹',
      remedy: '解决文件夹的问题，然后继续。',
    },
    SUBMIT_OUTCOME_UNKNOWN: {
      title: 'Nocturne 不知道网关是否已接受',
      remedy: '如果网关显示了它的任务编号，请认领该编号；否则重新提交（可能付费两次）或核销。',
    },
    OUTPUT_UNVERIFIABLE: {
      title: '文件无法核实',
      remedy: '如果另外保留了文件，请检查该文件；或重试该行以重新下载。不会重新生成，也不会再次付费。',
      whileRetried:
        'Nocturne 会继续尝试下载该文件，不另收费。如果消息指出要更改网关配置，请先更改，再暂停并继续该批次。',
    },
    OVERDUE: { title: '未在期限内完成', remedy: '重试该行：Nocturne 会再次询问网关。不会再次付费。' },
    WRITTEN_OFF: {
      title: '已核销',
      remedy: '重试该行会以新的付费请求生成。第一个请求可能也已扣费。',
    },
    INTERNAL: { title: 'Nocturne 的程序错误', remedy: '请报告此问题并附上消息。' },
  },
  retried: {
    downloading: '无需操作：Nocturne 会整夜继续尝试下载该文件，不另收费。',
    rendering: '无需操作：Nocturne 会自动重试。',
  },
  trouble: { noFiles: '没有文件到达', noAnswer: '网关没有应答', errors: '网关返回错误' },
  follows: {
    fail: '该行失败。',
    retry: '会自动重试。',
    'retry-then-fail': '会自动重试。如果重试都不成功，该行失败。',
    pause: '批次暂停；不会丢失任何内容。',
    ask: '等待你的决定。',
    bug: '批次暂停。',
  },
  failureText: (title, message, remedy) => `${title}：${message} ${remedy}`,
  limitRemedy: {
    reached: {
      account: '提高或取消这个账户的上限，然后继续。',
      batch: '提高或取消该批次的上限，然后继续。',
      night: `提高${spendingLimit('night')}后继续，或等到另一夜再继续。`,
      month: `提高${spendingLimit('month')}后继续，或等到下个月再继续。`,
    },
    noPrice: {
      account: '为这个账户的网关配置添加价格，然后继续。',
      batch: '为这个网关的配置添加价格，或取消该批次的上限，然后继续。',
      night: `为这个网关的配置添加价格，或更改${spendingLimit('night')}，然后继续。`,
      month: `为这个网关的配置添加价格，或更改${spendingLimit('month')}，然后继续。`,
    },
  },

  groups: {
    correct: { what: '被网关拒绝', do: '更正提示词或该行后重试：同样的文字会再次被拒绝。' },
    retry: { what: '在网关处失败', do: '重试：除非网关仍有结果，否则每次都是新的付费请求。' },
    download: { what: '已付费，但文件不在这里', do: '继续下载：不会再次付费。' },
    'check-charge': { what: '可能已扣费', do: '在网关核对扣费：认领任务编号、重新提交或核销。' },
    'raise-limit': { what: '因上限而停止', do: '提高上限后继续，或留到另一夜。' },
    'enter-key': { what: '因密钥而停止', do: '输入网关的密钥，然后继续。' },
    'top-up': { what: '因余额用完而停止', do: '在网关为账户充值，然后继续。' },
    'change-time': { what: '因时间安排而停止', do: '更改批次的运行时间，然后继续。' },
    'free-disk': { what: '因磁盘而停止', do: '腾出磁盘空间，或解决文件夹的问题，然后继续。' },
    'check-settings': { what: '因网关配置而停止', do: '更正网关配置，然后继续。' },
    look: { what: '因出错而停止', do: '查看出错之处，然后继续。' },
    resume: { what: '已停止', do: '继续运行批次。' },
    start: { what: '未开始', do: '开始运行批次。' },
    held: { what: '由你暂扣', do: '放行这些行，或保持原样。' },
    pick: { what: '等待选定', do: '在所引用的行中选定一个文件：由它来生成。' },
    drafts: { what: '新增或已更改', do: '让它们运行，或保持原样。' },
    invalid: { what: '表格中有误', do: '更正每一行指出的问题。' },
    'settle-other-row': { what: '需要其他行', do: '处理所引用的行：随后它们会自动继续。' },
    'wait-hours': { what: '等待运行时段', do: '无需操作：到了时间安排允许的时段，它们会自动运行。' },
    wait: { what: '进行中', do: '无需操作：轮到它们或时间一到，它们会自动进行。' },
    'written-off': { what: '由你核销', do: '无需操作。重试是新的付费请求。' },
    deleted: { what: '已随批次删除', do: '无需操作。删除后一天之内，可以找回批次。' },
    cancelled: { what: '由你取消', do: '无需操作。如果仍然需要，可以重试。' },
    skipped: { what: '在表格中跳过', do: '无需操作。' },
  },
  addPrice: '为网关配置添加价格，或取消金额上限；然后继续。',
  retrySomeInferred:
    '重试：每个都是新的付费请求，除非网关仍有结果。对于没有文件、也没有已知表示失败的状态而结束的，只会再询问一次，不收费。',
  retryInferred:
    '网关没有给出文件，也没有给出已知表示失败的状态：重试会再询问一次，不收费。说明该状态的含义之后，重试就是新的付费请求。',
  limitsCount: (sums) => `上限按 ${sums.join(' 和 ')} 计算：即每个请求可能的最高费用。`,

  standing: {
    ready: '未开始',
    running: '运行中',
    paused: '已暂停',
    finished: '已结束',
    waitsUntil: (when) => `等到 ${when}`,
    needsYou: (standing) => `${standing} – 需要你处理`,
    finishedWith: (failed, cancelled) =>
      `已结束${failed === 0 ? '' : `，${countText(failed)} 版失败`}${cancelled === 0 ? '' : `，${countText(cancelled)} 版已取消`}`,
    finishedInvalid: (rows) => `已结束，${countText(rows)} 行无效`,
    withDrafts: (standing, rows) => `${standing}，${countText(rows)} 行改动待运行`,
  },
  shelf: {
    isRunning: '它正在运行：请先暂停。',
    goesOn: '一旦文件夹可用，它会自动继续：请先暂停。',
    unknown: (n) => `${countText(n)} 个付费请求结果不明：请先处理。`,
    atGateway: (n) => `仍有 ${countText(n)} 版在网关处：等它们完成，或取消它们。`,
    isWatched: 'Nocturne 仍在向网关询问它较早的版，这些版可能已付费。请将它归档，直到询问结束。',
  },
  locked: {
    submitting: '正在提交：请在完成后编辑，或复制一份。',
    'submit-unknown': '其请求结果不明：请先作出决定，或将该行复制一份。',
    rendering: '正在生成：请在完成后编辑，或复制一份。',
    downloading: '正在获取其文件：请在完成后编辑，或复制一份。',
  },
  rowWarnings: {
    sharedAddress: '通过查看或试听判断它属于哪一行，并向网关索取另一个文件。',
    sameContent: '查看或试听：如果两者应当不同，请向网关索取缺少的文件。',
    mostOutputs: '请查看网关为该任务显示的内容，并从那里获取其余文件。',
  },

  schedule: {
    noWindow: (text) => `“${text}”不是时段。请写成 22:00-06:00 或 22:00-06:00 Mon-Fri。`,
    noDays: (text) => `“${text}”不是星期。请写成 Mon-Fri 或 Sat,Sun。`,
    noMoment: (text) => `“${text}”不是时间。请写成 22:00、明天 22:00、2 小时后或 2026-11-24 22:00。`,
    dayNames: { Mon: '周一', Tue: '周二', Wed: '周三', Thu: '周四', Fri: '周五', Sat: '周六', Sun: '周日' },
    runsOfDays: (runs) => runs.map((run) => (run.length > 1 ? `${run[0]}至${run.at(-1)}` : run[0])).join('、'),
    moment: (weekday, month, day, clock) => `${month} 月 ${day} 日${weekday} ${clock}`,
  },

  accounts: {
    tooMany: (n, most) => `共有 ${n} 个账户；一个批次最多 ${most} 个。`,
    noName: (name, most) => `“${name}”不能作为账户名称：需为 1 到 ${most} 个字符，前后没有空格。`,
    twice: (name) => `有两个账户名为“${name}”。`,
    unheld: (names, gateway, held) => {
      if (held > 0) return `${gateway} 上的账户 ${names.join('、')}，工作机只有其中 ${held} 个密钥`;
      if (names.length === 0) return `没有工作机有 ${gateway} 的密钥`;
      return names.length === 1
        ? `没有工作机有 ${gateway} 上账户 ${names.join('、')} 的密钥`
        : `没有工作机有 ${gateway} 上账户 ${names.join('、')} 的任何密钥`;
    },
  },

  probe: {
    price: (operation, header, prices) =>
      prices === undefined
        ? `这会用同一个 ${header} 将一个付费请求（${operation}）发送两次。守约的网关只收一次费用，其他网关收两次；网关配置中没有它的价格。`
        : `这会用同一个 ${header} 将一个付费请求（${operation}）发送两次。守约的网关收取 ${prices[0]}，其他网关收取 ${prices[1]}。`,
    verdict: {
      passed: (header) => `第二个请求是同一个任务：这个网关对同一个 ${header} 只扣费一次。从现在起以此为准。`,
      refuted: (header) =>
        `第二个请求是另一个任务：这个网关对同一个 ${header} 扣费两次。无论网关配置怎么写，都不会再用同一个值重复发送。`,
      none: (header) => `没有应答表明这个网关对同一个 ${header} 是否只扣费一次。`,
    },
    chargedTwice: (header) => `这个网关曾对同一个 ${header} 扣费两次：无论网关配置怎么写，都不会再重复发送。`,
    untried: (header) => `尚未有人验证这个网关是否如配置所说，对同一个 ${header} 只扣费一次。`,
  },

  told: {
    test: { title: 'Nocturne：测试', body: '关于夜间运行的消息会以这种方式送达。' },
    warning: {
      quit: (seconds) => `Nocturne 将在 ${seconds} 秒后退出。`,
      sleep: (seconds) => `Nocturne 将在 ${seconds} 秒后让这台电脑睡眠。`,
      shutdown: (seconds) => `Nocturne 将在 ${seconds} 秒后关闭这台电脑。`,
    },
    titleOfOne: (name, is) => {
      const what = {
        waits: '在等待下一个时段',
        finished: '已结束',
        undecided: '需要你决定',
        paused: '已暂停',
        'fetches-nothing': '没有获取文件',
      }[is];
      return `${name === undefined ? '一个批次' : `批次${name}`}${what}`;
    },
    titles: {
      needsYou: '夜间运行需要你处理',
      finished: '夜间运行已结束',
      endedNeedsYou: '夜间运行已结束，需要你处理',
    },
    outcome: ({ all, done, failed, cancelled, unknown }) =>
      `${countText(all)} 版中已完成 ${countText(done)} 版。${failed === 0 ? '' : `${countText(failed)} 版失败。`}${cancelled === 0 ? '' : `${countText(cancelled)} 版已取消。`}${decisions(unknown)}`,
    lost: (unknown) => `网关没有明确应答一个付费请求。${decisions(unknown)}`,
    lostOfSome: (which, unknown) => `${which}：网关没有明确应答一个付费请求。${decisions(unknown)}`,
    ofSome: (which, sentences) => `${which}：${sentences}`,
    reason: (title, remedy) => `${title}。${remedy}`,
    names: (named, more) => `${named.join('、')}${more > 0 ? `等，另有 ${countText(more)} 个` : ''}`,
  },

  delivery: {
    progress: (step, files, ofFiles, bytes, ofBytes) =>
      `${step === 'packing' ? '正在打包 ZIP：' : ''}${countText(files)} / ${commonZh.files(ofFiles)}，${bytes} / ${ofBytes}`,
    nothing: '没有交付任何文件：该批次还没有已核实的文件。',
    added: (files, bytes, before) =>
      `${countText(files)} 个新文件（${bytes}）${before === 0 ? '' : `；此前已交付 ${countText(before)} 个`}`,
    nothingKept: (files, where) =>
      `没有交付任何文件：该批次的 ${countText(files)} 个文件${files === 1 ? '' : '都'}未被保留。${where === 'window' ? '在审阅（F8）中保留想要的文件，或选择“全部文件”后再次交付。' : '用 nocturne review 或在窗口的审阅（F8）中保留想要的文件，或交付所有文件。'}`,
    cancelled: (left) => `${commonZh.files(left)}未交付：交付已取消。再次交付即可继续。`,
    noTimeline: '未写入时间线：交付已取消。再次交付即可写入。',
    unkept: (files) => `${commonZh.files(files)}未交付：没有人保留${files === 1 ? '它' : '它们'}。`,
    gone: (files) => `${commonZh.files(files)}未交付：其间已被删除或重新生成。`,
    sidecars: (files) => `已在先前交付的文件旁写入 ${countText(files)} 个 XMP 文件。`,
    tagless: (files) =>
      `先前交付的${commonZh.files(files)}仍没有标签：不会替换任何文件。如需标签，请交付到另一个文件夹，或先删除这里的文件。`,
    noSidecar: (path) => `${path}：未写入 XMP 文件，因为其名称已被另一个文件占用。`,
    changed: (path) => `${path}：此后已更改，保持原样。`,
    untagged: (path, why) => `${path} ${why}。`,
    hasCredentials: (path) => `${path}：带有内容凭证，逐字节复制。`,
    notInTimeline: (path) => `${path}：不在时间线中，因为无法读取其时长。`,
    timeline: (path, clips) => `${path}：${countText(clips)} 个片段`,
    andMore: (n) => `… 另有 ${countText(n)} 个。`,
  },
};
