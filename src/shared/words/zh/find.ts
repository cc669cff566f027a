import { countText } from '../../domain/base/text.ts';
import type { FindWords } from '../en/find.ts';
import { commonZh } from './common.ts';

export const findZh: FindWords = {
  title: '查找和替换',
  find: '查找',
  matchCase: '区分大小写',
  wholeCells: '单元格完全匹配',
  pattern: '正则表达式',
  previous: '上一个匹配项（Shift+Enter）',
  next: '下一个匹配项（Enter）',
  notFound: '未找到',
  match: (nth, of) => `第 ${countText(nth)} 个，共 ${commonZh.cells(of)}`,
  openReplace: '替换…',
  replaceWith: '替换为',
  replace: '替换',
  replaceAll: '全部替换',
  onlyInSelected: (cells) => `仅在所选的 ${commonZh.cells(cells)}中`,
  inSelection: '仅在所选范围内',

  filter: {
    statuses: '只显示这些状态',
    operation: '操作',
    allOperations: '所有操作',
    reason: '失败原因',
    allReasons: '所有原因',
    reasonOf: (title, rows) => `${title}（${countText(rows)}）`,
    retry: (rows) => `重试 ${commonZh.rows(rows)}`,
    retryShown: '重试当前显示的行',
    text: '查找行',
    clear: '清除文本',
  },

  problems: {
    title: '问题',
    ofSheet: '表格中的问题',
    close: '关闭问题面板',
    none: '此表格没有问题。',
    more: (n) => `还有 ${commonZh.problems(n)}，解决以上问题后会列出。`,
    error: '错误',
    warning: '警告',
    pressAgain: '再按一次转到下一处',
    rowGone: { title: '此行已不存在', message: '它已被删除，或被新的行取代。' },
  },
};
