/** What a gateway's words mean: the profile's patterns first, then what gateways of this kind are known to say. */
import { compilePattern, type LinearPattern } from '../base/linear-pattern.ts';
import type { ErrorMeaning, Profile } from './profile.ts';
import { SEARCHED_LENGTH } from './status-meaning.ts';

/**
 * Ordered, first match wins: a 429 that says that the balance is used up is about the balance, and an "invalid key" is
 * about the key. English and Chinese, because gateways of this kind answer in both.
 */
const BUILT_IN: readonly { readonly match: RegExp; readonly means: ErrorMeaning }[] = [
  {
    means: 'balance',
    match:
      /insufficient[ _-]*(?:account[ _-]*)?(?:balance|credits?|funds?|quota|points)|not (?:have )?enough (?:balance|credits?|funds?|quota|points)|(?:balance|credits?|funds|points|current quota)\b.{0,24}(?:insufficient|not enough|too low|exhausted|used up|depleted|run out|ran out|exceeded)|(?:out of|no(?: more)?|exceeded your current|exceeds? your) (?:remaining )?(?:balance|credits?|quota|funds)|top[ -]?up|recharge|in arrears|payment required|余额|餘額|欠费|欠費|充值|(?:额度|積分|积分|点数|點數|算力)(?:.{0,4})(?:不足|不够|用完|耗尽)/iu,
  },
  {
    // Before the key: "forbidden words" are not a forbidden caller, and a doubt about the key would pause the night.
    means: 'moderation',
    match: /(?:forbidden|prohibited|sensitive|banned|blocked|disallowed)[ _-]+(?:words?|terms?|content|prompt|text)/iu,
  },
  {
    means: 'auth',
    match:
      /unauthori[sz]ed(?! (?:to|for|use|voice|model)\b)|unauthenticated|authenticat|authori[sz]ation (?:header|token|failed|error|required|invalid|expired|missing)|(?:missing|invalid|no) authori[sz]ation|account\b.{0,24}(?:disabled|suspended|banned|blocked|locked)|(?:invalid|incorrect|wrong|missing|expired|unknown|bad)[ _-]*(?:api|access|ai)?[ _-]*(?:key|token|credentials?)\b|(?:api[ _-]?key|aikey|access[ _-]?key|access[ _-]?token|credentials?)\b.{0,24}(?:missing|invalid|expired|not valid|incorrect|wrong|required|disabled|revoked|not found|not exist)|鉴权|鑒權|认证失败|密钥|密鑰|(?:令牌|token|key).{0,4}(?:无效|错误|过期|不存在|失效)/iu,
  },
  {
    means: 'rate',
    match:
      /rate[ _-]*limit|too many (?:requests|tasks|jobs|submits|concurrent|active)|too frequent|(?:request|call|submit|access) frequency|frequency.{0,12}(?:limit|too high|exceed)|slow down|throttl|\d+ concurrent (?:requests|tasks|jobs)|concurren(?:t|cy)\b.{0,24}(?:limit|exceeded|reached|too high)|(?:max(?:imum)?|limit|exceed\w{0,3})\b.{0,24}\bconcurren|queue (?:is )?full|(?:requests|calls) per (?:second|minute)|频繁|(?:请求|請求|访问|调用|提交)频率|(?:频率|頻率).{0,4}(?:过高|過高|限制|超)|限流|限速|请求过多|请求过快|(?:并发|並發).{0,6}(?:上限|超|过多|過多|过高|限制|已满)|超(?:过|出).{0,8}并发|队列已满|(?:任务数|任务数量).{0,6}(?:上限|过多)/iu,
  },
  {
    means: 'moderation',
    match:
      /sensitive|moderat|content[ _-]?polic|usage polic|safety|guideline|prohibited|nsfw|inappropriate|copyright|offensive|flagged|violat(?:es?|ed|ing|ion)\b.{0,40}(?:polic|terms|rule|guideline|standard)|敏感|违规|違規|审核|審核|不合规|违法|涉黄|涉政|涉暴|版权|侵权/iu,
  },
  {
    means: 'upstream',
    match:
      /time[ds]?[ -]?out|internal (?:server )?error|server error|unavailable|maintenance|overload|upstream|bad gateway|server (?:is )?busy|system (?:is )?busy|服务(?:器)?(?:异常|错误|不可用|繁忙)|系统(?:异常|错误|繁忙)|维护|維護|超时|超時/iu,
  },
  {
    means: 'invalid',
    match:
      /invalid|required|missing|must (?:be|not|have)|not supported|unsupported|illegal|bad request|malformed|too (?:long|large|short|small)|exceed|unknown|not allowed|unexpected|unprocessable|参数|參數|不能为空|格式|必填|不支持|无效|非法|超出/iu,
  },
];

/** Someone may not do something: the caller, or this row, which asks for someone else's voice or model. */
const PERMISSION =
  /forbidden|access denied|permission denied|\b(?:no|not have|without|lacks?) (?:the )?permission|not (?:permitted|authori[sz]ed)|unauthori[sz]ed|无权|無權|没有权限|沒有權限|未授权|未授權/iu;

/** The same, in words that name nothing that only this row could concern. */
const PERMISSION_ALONE =
  /^[\s\p{P}\p{S}]*(?:(?:error|http|403)[\s\p{P}]*)*(?:forbidden|access denied|permission denied|no permission|无权限|無權限|没有权限|沒有權限|未授权|未授權)[\s\p{P}\p{S}]*$/iu;

/** Numbers that gateways put into `code`, for when their words say nothing; some use HTTP statuses as codes. */
const KNOWN_CODES: Readonly<Record<string, ErrorMeaning>> = {
  '400': 'invalid',
  '401': 'auth',
  '402': 'balance',
  '403': 'auth',
  '408': 'upstream',
  '413': 'invalid',
  '422': 'invalid',
  '429': 'rate',
  '430': 'rate',
  '455': 'upstream',
  '500': 'upstream',
  '502': 'upstream',
  '503': 'upstream',
  '504': 'upstream',
  '1002': 'rate',
  '1004': 'auth',
  '1008': 'balance',
  '1026': 'moderation',
  '1027': 'moderation',
  '2013': 'invalid',
};

/**
 * What an error of the gateway is about; undefined if neither its words nor its `code` say. The profile's patterns are
 * tried on the code and the words together (`1008 no more credits`).
 */
export function errorMeaning(profile: Profile, code: string, words: string): ErrorMeaning | undefined {
  const text = words.slice(0, SEARCHED_LENGTH);
  return profileMeaning(profile, code, words) ?? builtInMeaning(code, text) ?? knownCode(code);
}

/** A doubt about the key pauses the night, so one row that may not have what it asks for must not raise it. */
function builtInMeaning(code: string, text: string): ErrorMeaning | undefined {
  const means = BUILT_IN.find(({ match }) => match.test(text))?.means;
  if ((means !== undefined && means !== 'invalid') || !PERMISSION.test(text)) return means;
  const isCallers = code === '401' || code === '403' || (code === '' && PERMISSION_ALONE.test(text));
  return isCallers ? 'auth' : 'invalid';
}

/** What the profile's own patterns take an error for; undefined if none matches. */
export function profileMeaning(profile: Profile, code: string, words: string): ErrorMeaning | undefined {
  const both = `${code.slice(0, 100)} ${words.slice(0, SEARCHED_LENGTH)}`.trim();
  return profile.errors.find(({ match }) => compiled(match)?.matches(both) === true)?.means;
}

function knownCode(code: string): ErrorMeaning | undefined {
  return Object.hasOwn(KNOWN_CODES, code) ? KNOWN_CODES[code] : undefined;
}

const COMPILED = new Map<string, LinearPattern | undefined>();

function compiled(source: string): LinearPattern | undefined {
  if (!COMPILED.has(source)) {
    if (COMPILED.size > 1000) COMPILED.clear();
    COMPILED.set(source, compilePattern(source));
  }
  return COMPILED.get(source);
}
