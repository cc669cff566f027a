/**
 * What a task's status means by the profile, and its message by its words alone. Kept apart from the profile's schema
 * and patterns: the store needs only this, so a command that reads a store starts without the code that checks and
 * compiles them.
 */
import type { Operation } from '../operations/operations.ts';
import type { Profile, StatusMeaning } from './profile.ts';

/**
 * In characters. Longer texts are cut before the search: neither a user's own pattern nor a gateway that sends
 * megabytes must stall a night.
 */
export const SEARCHED_LENGTH = 2000;

/** What a status means: the operation's own table overrides its family's; undefined if neither lists it. */
export function statusMeaning(profile: Profile, operation: Operation, status: string): StatusMeaning | undefined {
  for (const table of [profile.status[operation.path], profile.status[operation.family]]) {
    if (table === undefined) continue;
    if (Object.hasOwn(table, status)) return table[status];
    const folded = status.toLowerCase();
    const key = Object.keys(table).find((candidate) => candidate.toLowerCase() === folded);
    if (key !== undefined) return table[key];
  }
  return undefined;
}

/** True if an error says that the gateway does not know the task: right after a submit, it may just not know it yet. */
export function saysNotFound(words: string): boolean {
  return /not (?:be )?found|no such|(?:does ?n['o]?t|not) exist|unknown task|不存在|未找到|找不到|查无|未查询到/iu.test(
    words.slice(0, SEARCHED_LENGTH),
  );
}

/** True if a task's message reads like a failure, though no status says so. */
export function readsLikeFailure(message: string): boolean {
  const text = message
    .slice(0, SEARCHED_LENGTH)
    .replace(/\b(?:no|without|0) (?:errors?|failures?)\b/giu, '')
    .replace(/\b(?:error|fail)\w{0,20}"?\s?[:=]\s?(?:null|none|false|0\b|""|\[\]|\{\})/giu, '');
  return /fail|error|exception|reject|refus|violat|sensitive|moderat|time[ds]?[ -]?out|unable|cannot|could ?n[o']t|denied|invalid|abort|cancel|insufficient|失败|失敗|错误|錯誤|异常|異常|违规|敏感|超时|拒绝|取消|不足/iu.test(
    text,
  );
}
