/**
 * Which words of a gateway rule out that it accepted and charged a submit. Narrow on purpose: Nocturne or the user
 * resends what is believed here, and a submit that was not refused would be paid twice. In doubt the user decides.
 */
import { profileMeaning } from './error-meaning.ts';
import type { ErrorMeaning, Profile } from './profile.ts';
import { SEARCHED_LENGTH } from './status-meaning.ts';

/** `not created`, `You have submitted too many requests`: these do not say that anything was taken. */
const NOT_TAKEN =
  /\b(?:not|never|n['’]t|nothing)(?: (?:be|been|was|were|yet))* (?:created|stored|saved|persisted|submitted|enqueued|queued|charged|deducted|accepted)\b|\bsubmitted too (?:many|much|often|fast|frequently|quickly)|\b(?:too many|\d+|maximum|max) (?:queued|submitted|created)\b|(?:未|没有|沒有)(?:被)?(?:创建|創建|提交|保存|入队|扣费|扣費|扣除)/giu;

const TAKEN =
  /\b(?:created|stored|saved|persisted|submitted|enqueued|queued|charged|deducted)\b|\b(?:task|job|request|order)\b.{0,24}\baccepted\b|已(?:经|經)?(?:创建|創建|提交|保存|存储|存儲|入库|入队|接受|受理|扣)|(?:创建|創建|提交|保存)成功|(?:处理|處理|排队|排隊|生成)中/iu;

/** True if the words say that the request, or something made from it, was stored, queued or charged. */
export function saysItWasTaken(words: string): boolean {
  return TAKEN.test(words.slice(0, SEARCHED_LENGTH).replace(NOT_TAKEN, ''));
}

/** Words about something behind the gateway, which may have failed after the charge. */
const BEHIND =
  /upstream|downstream|provider|render(?:er|ing)|worker|backend|database|\bdb\b|\bsql|redis|cache|storage|bucket|webhook|callback|notif|response|reply|exception|\bjava\b|traceback|上游|数据库|缓存|回调|异常/iu;

/** Any of these is about the request itself or the account. */
const STATED: readonly { readonly match: RegExp; readonly means: ErrorMeaning }[] = [
  {
    means: 'balance',
    match:
      /insufficient[ _-]*(?:account[ _-]*)?(?:balance|credits?|funds|points)|not (?:have )?enough (?:balance|credits?|funds|points)|exceeded your current quota|(?:balance|credits|funds)(?: is| are)? (?:insufficient|not enough|exhausted|used up)|(?:余额|餘額|积分|積分|点数|點數)(?:不足|不够|用完|耗尽)/iu,
  },
  {
    means: 'auth',
    match:
      /(?:invalid|incorrect|wrong|missing|expired) (?:api[ _-]?key|aikey)\b|\b(?:api[ _-]?key|aikey) (?:is )?(?:missing|invalid|expired|not valid|incorrect|disabled|revoked)/iu,
  },
  {
    means: 'rate',
    match:
      /too many requests|rate[ _-]*limit(?:s|ed|ing)?\b(?: (?:is|was|has been))? (?:exceeded|reached)|exceed(?:s|ed)?(?: the| your)? rate[ _-]*limit|you (?:are|were|have been) rate[ _-]*limited|quota of requests per|(?:requests|calls) per (?:second|minute)(?: limit)? (?:exceeded|reached)|请求(?:过于|太)频繁|请求过(?:多|快)|請求過(?:於頻繁|多|快)/iu,
  },
  {
    means: 'moderation',
    match:
      /\b(?:prompt|lyrics|title|text|input|content|image)\b.{0,40}\b(?:sensitive|forbidden|prohibited|banned|disallowed|nsfw)\b|violat(?:es?|ed|ing|ion)\b.{0,40}(?:content|usage)[ _-]*polic|敏感(?:词|詞|内容|內容)/iu,
  },
  {
    means: 'invalid',
    match:
      /\b(?:parameter|argument|prompt|lyrics|title|tags|model|duration|negative prompt)s?\b.{0,40}\b(?:is required|required|is missing|is invalid|not valid|too (?:long|short|large|small)|must (?:be|not be)|not supported|unsupported|cannot be (?:empty|blank))|\binvalid (?:parameter|argument|prompt|lyrics|title|tags|model)s?\b|(?:参数|參數|提示词|歌词|标题)(?:.{0,8})(?:错误|錯誤|无效|非法|不合法|过长|不能为空|缺失)/iu,
  },
];

/**
 * What a failure is about if its HTTP status leaves open whether the request was accepted (408, 409, 5xx); undefined if
 * its words do not rule that out. The profile's patterns are the user's word and are believed, except that a server
 * error cannot be a refusal.
 */
export function statedRefusal(profile: Profile, code: string, words: string): ErrorMeaning | undefined {
  const byProfile = profileMeaning(profile, code, words);
  if (byProfile !== undefined) return byProfile === 'upstream' ? undefined : byProfile;
  const text = words.slice(0, SEARCHED_LENGTH);
  return BEHIND.test(text) ? undefined : STATED.find(({ match }) => match.test(text))?.means;
}
