import { countText } from '../../domain/base/text.ts';
import type { LedgerWords } from '../en/ledger.ts';
import { commonZh } from './common.ts';

export const ledgerZh: LedgerWords = {
  title: '账本',
  parts: '账本的各个部分',
  openBatch: '打开批次',
  figures: '从计划到文件',
  figuresInTakes: '从计划到文件，以版计',
  needsYou: '待你处理',
  rest: '其余',
  night: '当夜',
  nothingYet: '还没有运行过',
  nothingYetAbout: '夜间运行的情况会在运行期间和结束后显示在这里。',
  nothingSoFar: '目前没有。进行中的部分会自动继续。',
  allVerified: '每一版都已校验并存入文件夹',
  allSettled: '没有，一切都已处理完毕。',

  about: {
    time: (how, from, length) =>
      `${from} 开始，${{ ended: `历时 ${length}`, running: `已运行 ${length}`, interrupted: `运行 ${length} 后中断` }[how]}`,
    nothingSent: '尚未发送任何请求',
    ofNight: (id, time) => `夜间运行 ${id}：${time}`,
    rehearsal: (batch) => `${batch}（彩排）`,
    batches: (names) => names.join('、'),
  },

  stages: {
    planned: '计划',
    submitted: '已提交',
    accepted: '已接受',
    rendered: '已生成',
    downloaded: '已下载',
    verified: '已校验',
  },
  lostIn: (takes, what) => `${what} ${commonZh.takes(takes)}`,
  without: (takes, groups) => `少了 ${commonZh.takes(takes)}：${groups.join('，')}`,

  group: {
    title: (takes, batch, what, until) =>
      `${batch === undefined ? '' : `${batch} 的 `}${commonZh.takes(takes)}：${what}${until === undefined ? '' : `，到 ${until} 为止`}`,
    showRows: '显示行',
    hideRows: '隐藏行',
    andMore: (takes) => `还有 ${commonZh.takes(takes)}`,
    openRow: (row) => `在表格中打开行 ${row}`,
    rowAndTake: (row, take) => `${row}，${commonZh.take(take)}`,
    tryAgain: (takes) => `重试 ${commonZh.takes(takes)}…`,
    retry: '重试…',
    resume: '继续',
    resumeDownloads: (takes) => `继续下载 ${commonZh.takes(takes)}`,
    release: (takes) => `放行 ${commonZh.takes(takes)}`,
    showFailed: '显示失败的行',
    correct: '在表格中修正',
    pick: '选定文件',
    adopt: '认领任务编号',
    writeOff: (what) => (what === undefined ? '核销…' : `核销 ${what}…`),
    resubmit: (what) => (what === undefined ? '重新提交…' : `重新提交 ${what}…`),
  },

  foretold: {
    of: '项目',
    requests: '请求',
    paidRequests: '付费请求',
    cost: '费用',
    end: '结束',
    within: (limits) => (limits.length === 0 ? '预估' : `预估（上限 ${limits.join('、')}）`),
    cameTo: '实际',
    cameToWithLater: '实际（含之后再次运行的）',
    ofBatch: (batch, line) => `${batch}：${line}`,
    endUnknown: '未知',
    aboutTime: (time) => `约 ${time}`,
    notEnded: '未结束',
    withEarlier: (requests, earlier) =>
      `${countText(requests)}${earlier === 0 ? '' : `，其中 ${countText(earlier)} 个用于较早的版本`}`,
  },

  money: {
    title: '费用',
    rehearsal: '这是彩排，没有产生费用。',
    noPrices: '网关配置中没有价格，因此这里显示付费请求的数量。在设置中填写价格即可查看金额。',
    of: '项目',
    all: '合计',
    columns: { planned: '计划', reserved: '预留', spent: '已支出', unknown: '结果不明' },
    columnsMean: {
      planned: '按网关配置的价格计算',
      reserved: '已发送，尚未收到响应',
      spent: '网关已接受',
      unknown: '可能已扣费',
    },
    amounts: (sums) => sums.join('、'),
    isPart: '“计划”涵盖整个批次，其余各列只计这段时间。',
    withoutPrice: (columns) =>
      `没有价格的请求：${columns.map(([column, requests]) => `${column} ${countText(requests)} 个`).join('，')}。`,
  },

  timeline: {
    label: '当夜的时间走势',
    hint: '将指针移到图上，或拖动滑块。',
    mostEnded: (takes) => `结束 ${commonZh.takes(takes)}`,
    mostActive: (takes) => `进行中 ${commonZh.takes(takes)}`,
    verified: '已校验',
    failed: '失败',
    active: '进行中',
    paused: '已暂停',
    stretch: ({ at, submitted, verified, failed, active, limited, pauses }) => {
      const counts = [
        `提交 ${countText(submitted)}`,
        `校验 ${countText(verified)}`,
        `失败 ${countText(failed)}`,
        `进行中 ${countText(active)}`,
        ...(limited > 0 ? [`被要求放慢 ${commonZh.times(limited)}`] : []),
      ];
      return [`${at}：${counts.join('，')}`, ...pauses].join('。');
    },
    pausedFor: (why, batch) =>
      `${batch === undefined ? '' : `${batch}：`}${why === undefined ? '由你暂停' : `已暂停：${why}`}`,
    pauseLine: (from, to, text) => `${from} – ${to ?? '仍在暂停'}：${text}`,
    asTable: '以表格显示',
    columns: {
      from: '开始时间',
      submitted: '提交',
      verified: '校验',
      failed: '失败',
      active: '结束时进行中',
      limited: '被要求放慢',
    },
  },

  nights: {
    title: '历次夜间运行',
    running: '仍在运行',
    interrupted: (after) => `运行 ${after} 后中断`,
    from: (id, from, length) => `夜间运行 ${id}，${from} 开始，${length}：`,
    about: (id, from, length, verified, cost) =>
      `夜间运行 ${id}，${from} 开始，${length}：已校验 ${commonZh.takes(verified)}，${cost}`,
    verified: (takes) => ['已校验 ', takes],
    rehearsal: '彩排',
  },
};
