import { countText } from '../../domain/base/text.ts';
import { spaced } from './common.ts';
import { operationsZh } from './operations.ts';
import type { CostsWords } from '../en/costs.ts';

const requests = (n: number, isPaid: boolean): string => `${countText(n)} 个${isPaid ? '付费' : ''}请求`;
const every = (items: readonly string[]): string => items.join('、');

export const costsZh: CostsWords = {
  together: every,
  spentOf: (spent, limit) => `${spent} / ${limit}`,
  requests,
  someOf: (some, all, isPaid) => `${requests(all, isPaid)}中的 ${countText(some)} 个`,

  usualCurrency: 'CNY',
  enterAmount: (currency) => `请输入金额，例如 12.50 ${currency}。`,
  eitherAmount: (text, whole, decimal) => `“${text}”有两种含义。请输入 ${whole} 或 ${decimal}。`,
  enterCurrency: (amount, currency) => `请一并输入货币，例如 ${amount} ${currency}。`,
  atMost: (most) => `最多可输入 ${countText(most)}。`,

  rehearsalIsFree: '这是彩排：不会付费。',
  aRehearsal: '彩排',

  unknown: {
    mayBeCharged: () => '可能已被扣费。',
    untilYouDecide: '在你决定之前，不会再次付费。',
    payAgain: '重新提交是新的付费请求；尚未设定价格。如果第一次请求已经成功，就会再付一次费。',
    newRequest: (sums, unpriced) =>
      `新的付费请求需 ${every(sums)}${unpriced === 0 ? '' : `，另有 ${countText(unpriced)} 版没有价格`}。如果第一次请求已经成功，就会再付一次费。`,
    asksAgain: (takes, when) => {
      const begin = when === 'once-resumed' ? '批次继续后，' : '无需处理：';
      const time = when === 'once-resumed' ? '会' : when === 'now' ? '现在会' : `将于 ${when.at} `;
      const of = takes === undefined ? '这个请求' : `${takes.map((take) => `第 ${take} 版`).join('、')}的请求`;
      return `${begin}Nocturne ${time}用同一个幂等键再次发送${of}，网关的响应会确定结果，不会再次扣费。重新提交则是一个新请求，要再付一次费。`;
    },
  },

  sum: {
    nothing: '。',
    free: '，免费。',
    mayBeCharged: (requested) => (requested === 1 ? '，可能会扣费。' : '，每个都可能会扣费。'),
    byPrices: (sums, unpriced) =>
      `：按网关配置中的价格为 ${every(sums)}${unpriced === 0 ? '' : `，另有 ${countText(unpriced)} 个付费请求没有价格`}。`,
  },

  makes: (n, isPaid, sum) => `这会发出 ${requests(n, isPaid)}${sum}`,
  resumesToo: (waiting, n, isPaid, sum) =>
    `批次也会随之继续：有 ${countText(waiting)} 版在等待，因此最多会发出 ${requests(n, isPaid)}${sum}`,
  chargesEarlier: '网关对接受的每个请求扣费，以前生成过的行也不例外。',
  followingToo: (n) => `其中 ${countText(n)} 个用于仅因这些行而失败的版本。`,
  chargesEach: '网关对接受的每个请求扣费。',
  retryMakes: (n, isUpTo, sum) => `这${isUpTo ? '最多' : ''}会发出 ${requests(n, true)}${sum}`,
  onlyAsked: (takes, areAll) => (areAll ? '这不会付费。' : `其中 ${countText(takes)} 版不会付费。`),
  neverAccepted: '网关此前没有接受过它们。',
  fetchedAgain: '如果网关还留有结果，Nocturne 会免费重新获取。',
  held: (held, isAll) =>
    `${isAll ? (held === 1 ? '它' : '它们都') : `其中 ${countText(held)} 版`}已被你暂扣：在你放行之前，不会再发送新请求。`,
  notResumed: '批次已暂停：继续之前，不会发送任何请求。',
  notStarted: '批次尚未开始：开始之前，不会发送任何请求。',
  limitUsed: (used, limit) =>
    used >= limit
      ? `${requests(limit, true)}的上限已用完：提高上限之前不会发送任何请求。`
      : `${requests(limit, true)}的上限已用 ${countText(used)} 个；达到上限时批次会暂停。`,

  nothingSent: '没有发送请求',
  refused: (n) => `${countText(n)} 个被拒绝的请求`,
  sentAndRefused: (n, isPaid, refused) => `${requests(n, isPaid)}，另有 ${countText(refused)} 个被拒绝`,
  soFar: (n) => `至今 ${requests(n, true)}。`,
  nothingPaidForVersion: '当前内容尚未付费。',
  nothingPaid: '尚未付费。',

  pausesAfter: (limit, left) => `发出 ${countText(limit)} 个请求后暂停；其余 ${countText(left)} 个会等你提高上限。`,
  pausesAtLimit: '达到此数时暂停生成。重试也计算在内。',

  nothingToStart: '还没有可以开始的内容。',
  startRehearsal: '开始彩排',
  start: (what, withAgain) => {
    const of = what === undefined ? [] : ['upTo' in what ? `最多 ${requests(what.upTo, true)}` : what.requests];
    const facts = [...of, ...(withAgain === undefined ? [] : [`连同重新生成共 ${countText(withAgain)} 个`])];
    return facts.length === 0 ? '开始' : `开始（${facts.join('，')}）`;
  },

  forecast: {
    of: { account: '其全部账户', batch: '此批次', night: '一夜', month: '一个月' },
    beyondLimit: (n, isPaid, allowed, whose) => `还有 ${requests(n, isPaid)}超出${whose}的上限（${allowed}）`,
    noRoom: (n, isPaid, allowed, whose) =>
      `不会发送任何请求：${whose}的上限（${allowed}）容不下这 ${requests(n, isPaid)}`,
    priceUnknown: (allowed, whose, currency, operations) =>
      `不会发送任何请求：${spaced(operations.join('、'))}没有以 ${currency} 计的价格，无法守住${whose} ${allowed} 的上限`,
    passed: '完成期限已过：不会发送任何请求',
    never: '在结束之前没有可用的时段：不会发送任何请求',
    unsent: (n, isPaid) => `${requests(n, isPaid)}在时段结束前来不及发送`,
    held: (rows) => `${countText(rows)} 行未计入：暂扣中，或在等待暂扣的行、草稿或选定`,
    again: (n, isPaid, sums, times) =>
      `如果每个文件都被标记${times === 1 ? '' : ` ${times} 次`}，最多再加 ${requests(n, isPaid)}${sums.length === 0 ? '' : `，费用 ${every(sums)}`}；上限对它们同样有效`,
    operation: (short) => operationsZh.submit[short as keyof typeof operationsZh.submit].title,
    ofOperation: (n, operation) => `${operation} ${countText(n)} 个`,
    listed: every,
    dearer: (each) =>
      `网关的扣费最高为：${each.map(({ sum, operation }) => `${operation} ${sum}`).join('、')}，高于网关配置中的价格`,
    twice: (rows, together) => `${countText(rows)} 行与其他行重复：${together}`,
  },

  correct: {
    name: '请先给批次起个名字。',
    requestLimit: '请先修正请求上限。',
    spendingLimit: '请先修正支出上限。',
    fuse: '请先修正保险丝的设置。',
    when: '请先修正运行时间。',
    again: '请修正被标记的文件重新生成的次数。',
    gate: (gate) => `请修正质检“${gate}”。`,
  },
  enterLimit: '请输入 1 到 1,000,000 之间的整数，或留空。',
  enterFuse: '请输入整数；0 表示关闭。',
  enterUpTo: (most) => `请输入不超过 ${most} 的整数，或留空。`,
  chooseGate: '请选择一项质检，或全部关闭。',
  unheld: (currency, known) =>
    `没有以 ${currency} 计的价格${known.length === 0 ? '' : `，只有 ${every(known)}`}：无法守住上限，因此不会发送任何请求。`,

  gates: {
    off: '关闭',
    wrong: '待修正',
    usual: '常规',
    some: (n) => `${countText(n)} 项质检`,
    withAgain: (which, times) => `${which}，被标记的文件最多重新生成 ${countText(times)} 次`,
  },

  when: {
    over: '完成期限太早，什么都来不及发送。',
    bothTimes: '请输入两个时间，例如 22:00 和 06:00。',
    oneDay: '请至少选择一天。',
    enterTime: '请输入时间，例如 22:00。',
    nothingMore: '不会再发送请求。',
    beginsAt: (time) => `${spaced(time)}开始。`,
    atOnce: '立即开始。',
    atOnceUntil: (time) => `立即开始，到 ${spaced(time)}为止。`,
    from: (time) => `${spaced(time)}起`,
    doneBy: (time) => `${spaced(time)}前完成`,
    hours: every,
  },

  account: {
    gone: (profile) => `网关配置“${profile}”已不存在。请另选一个。`,
    noKey: '还没有密钥',
    keyStored: '密钥已保存',
    keyEnds: (end) => `密钥末尾为 ${end}`,
    atMost: (what) => `最多 ${what}`,
  },

  limit: {
    requests: '请求上限',
    cost: '支出上限',
    costLabel: '支出上限',
    moreThan: (sum) => `高于 ${sum}`,
    otherThan: (sum) => `不同于 ${sum}`,
    requestLabel: (all) => `请求上限，全部行需 ${countText(all)} 个`,
    forAll: (all) => `全部需 ${countText(all)} 个`,
    used: (n) => `请输入大于 ${countText(n)} 的数：已用 ${countText(n)} 个。`,
    notMore: (sum) => `请输入高于 ${sum} 的金额，这是现在的上限。`,
    atLeast: (sum, spent, next) => `请至少输入 ${sum}：已支出 ${spent}，下一个请求需 ${next}。`,
    raise: '提高并继续',
    change: '更改并继续',
  },
};
