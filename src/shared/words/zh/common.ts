import { countText } from '../../domain/base/text.ts';
import type { CommonWords } from '../en/common.ts';

const count =
  (unit: string) =>
  (n: number): string =>
    `${countText(n)} ${unit}`;

export const commonZh: CommonWords = {
  locale: 'zh-Hans-CN',
  sentences: (parts) => parts.join(''),
  and: (items) => listed(items, '和'),
  or: (items) => listed(items, '或'),
  quoted: (text) => `“${text}”`,

  rows: count('行'),
  takes: count('版'),
  files: count('个文件'),
  cells: count('个单元格'),
  columns: count('列'),
  batches: count('个批次'),
  requests: count('个请求'),
  paidRequests: count('个付费请求'),
  errors: count('个错误'),
  warnings: count('个警告'),
  problems: count('个问题'),
  times: count('次'),
  take: (n) => `第 ${n} 版`,

  cancel: '取消',
  close: '关闭',
  save: '保存',
  add: '添加',
  remove: '移除',
  delete: '删除',
  rename: '重命名',
  duplicate: '复制一份',
  open: '打开',
  back: '返回',
  retry: '重试',
  undo: '撤销',
  redo: '重做',
  copy: '复制',
  yes: '是',
  no: '否',
  none: '无',
  name: '名称',
  more: '更多',
};

function listed(items: readonly string[], word: string): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join('、')} ${word} ${items.at(-1) ?? ''}`;
}
