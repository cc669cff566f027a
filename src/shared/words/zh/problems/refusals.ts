import { countText } from '../../../domain/base/text.ts';
import type { ListWords, ReviewRefusals, UnsavedWords } from '../../en/problems/refusals.ts';

export const listZh: ListWords = {
  unreadable: (folder, why) => `Nocturne 无法读取 ${folder} 中的词表：${why}。`,
  unwritable: (folder, why) => `Nocturne 无法将词表写入 ${folder}：${why}。`,
  irremovable: (folder, why) => `Nocturne 无法从 ${folder} 移除词表：${why}。`,
  ignored: (file, why) => `已忽略词表 ${file}：${why}。`,
  badName: (name, why) => `词表不能使用名称 ${name}：${why}。`,
  none: (name, why) => `没有词表 ${name}：${why}。`,
  unsendable: '词表含有 NUL 字符或不完整的字符。',
  tooLarge: (mebibytes) => `词表最多 ${mebibytes} MiB。`,

  tooMany: '词表太多',
  tooMuch: (mebibytes) => `所有词表合计超过 ${mebibytes} MiB`,
  isTooLarge: (mebibytes) => `它超过 ${mebibytes} MiB`,
  notPlain: '它不是普通文件',
  hasNul: '它含有 NUL 字符',
  notUtf8: '其文本不是 UTF-8',
  longName: (most) => `名称最多 ${most} 个字符`,
  letters: '名称由字母、数字、连字符和它们之间的单个下划线组成',
  notEverywhere: '并非每个系统都允许这样的文件名',
};

export const reviewRefusalsZh: ReviewRefusals = {
  gone: '该文件已不在其行的文件之中。',
  earlierVersion: '这个文件属于该行的先前版本：只能选定该行现有的文件。',
  notVerified: '该文件已更改：现在未通过核实。',
  changing: '文件一直在变化：无法确定任何内容。',
  noFile: (row) => `行 ${row} 没有已核实的文件。`,
  noSuchFile: (row) => `行 ${row} 没有这样的文件。`,
  several: (row, files, paths) => `行 ${row} 有 ${files} 个这样的文件：${paths}。`,

  lookAtRow: '没有记录任何内容。请查看该行现在的样子。',
  lookAgain: '没有记录任何内容。请在它就位后再次查看。',
  sayAgain: '请再试一次。',
  inManifest: '每行的文件及其版本列在媒体文件夹的 manifest.csv 中。',
  pickOne: '请选定其中一个：用 --take 指定版本，用 --file 指定该版中的编号。',
};

export const unsavedZh: UnsavedWords = {
  heading: 'Nocturne 关闭之前，有些内容没能保存。不会因此重复发送任何内容。',
  submit: (row, take) => `行 ${row} 第 ${take} 版：付费请求的应答没有保存。下次 Nocturne 会将它显示为“结果不明”。`,
  accepted: (row, take, taskCode) =>
    `行 ${row} 第 ${take} 版：网关已接受，但没有保存。下次 Nocturne 会将它显示为“结果不明”：请认领任务编号 ${taskCode}。`,
  moreSubmits: (requests) => `另有 ${requests} 个付费请求也是如此。`,
  results: (results) => `下次 Nocturne 会再次询问 ${countText(results)} 个结果；不会丢失任何内容。`,
  pause: (batch) => `批次“${batch}”：你的暂停没有保存。下次 Nocturne 会继续它，直到你再次暂停。`,
  start: (batch) => `批次“${batch}”：你的开始没有保存。下次 Nocturne 会让它保持原样，直到你再次开始。`,
  edit: (batch) => `批次“${batch}”：你取消的修改没能撤回。下次 Nocturne 会把它做完：开始之前请先查看各行。`,
};
