import { countText } from '../../domain/base/text.ts';
import type { ReviewWords } from '../en/review.ts';
import { commonZh } from './common.ts';

const MEANS_PICK = '引用此行的行会用它来生成';

export const reviewZh: ReviewWords = {
  title: '审阅',
  about: '可以查看和试听的文件',
  rowAndOperation: (row, operation) => `行 ${row} · ${operation}`,
  playThrough: '连续播放',
  stop: '停止',
  fullScreen: '全屏（S）',
  placeOf: (at, of) => `${countText(at)} / ${countText(of)}`,
  whichRows: '要审阅的行',
  allRows: '全部行',
  lookingForFiles: '正在查找文件…',
  noFiles: '还没有任何行有已校验的文件。',
  noneLikeThis: '没有这样的行。请在上方选择其他行。',
  chosen: (row, at, of, name, through) =>
    `行 ${row}，第 ${countText(at)} 个文件，共 ${countText(of)} 个：${name}${through === undefined ? '' : `，连续播放 ${through}`}`,
  arrived: (rows, files) =>
    `新增 ${[rows > 0 ? commonZh.rows(rows) : '', files > 0 ? commonZh.files(files) : '']
      .filter((part) => part !== '')
      .join('、')}`,
  counts: (decided, files, kept, rejected) =>
    `${commonZh.files(files)}中已评定 ${countText(decided)} 个 · 保留 ${countText(kept)} 个 · 淘汰 ${countText(rejected)} 个`,
  unstored: (decisions) => `${countText(decisions)} 项尚未保存`,
  muted: '已静音',
  equallyLoud: '响度一致',
  measuringLoudness: '正在测量响度',
  oneMoreTake: '再来一版',
  keysTitle: '按键',
  noteUnsaved: '备注尚未保存。',

  verdicts: { undecided: '未评定', kept: '已保留', rejected: '已淘汰', picked: '已选定' },

  verdict: {
    keep: '保留',
    keepFile: (name) => `保留 ${name}`,
    reject: '淘汰',
    rejectFile: (name) => `淘汰 ${name}`,
    pick: '选定',
    pickFile: (name) => `选定 ${name}`,
    pickMeans: MEANS_PICK,
    isPicked: `${MEANS_PICK}。`,
    ratingOf: (name) => `${name} 的评分`,
    stars: (stars, best) => `${stars} 星，满分 ${best} 星`,
    starsShort: (stars, best) => `${stars} / ${best}`,
    note: '备注',
    editNote: '编辑备注',
    noteOn: (name) => `${name} 的备注`,
    noteHint: '按 Enter 保存备注，按 Escape 放弃',
  },

  said: {
    kept: '已保留',
    rejected: '已淘汰',
    undecided: '未评定',
    picked: '已选定',
    unpicked: '不再选定',
    rated: (stars) => `评为 ${stars} 星`,
    unrated: '未评分',
    noted: '已写备注',
    unnoted: '已删除备注',
    all: (parts) => parts.join('，'),
    of: (name, what) => `${name}：${what}。`,
    oneMoreTake: (name) => `${name}：再来一版，待你同意费用后生成。`,
    takenBack: (name) => `${name}：已撤销。`,
    refused: (name, why) => `${name}：${why}`,
    takeStays: '你已同意生成这一版，因此它会保留。',
    noTakeYet: '这一行有了新文件后，才能再来一版。',
    tooEarly: '这一行的文件还在读取中，未作任何记录。',
    firstFile: '这是第一个文件。',
    lastFile: '这是最后一个文件。',
    noPick: '没有行在等待从这一行选定：按 K 保留文件。',
    noPickOfEarlier: '较早版本的文件不能选定。',
    aFile: '某个文件',
  },

  through: {
    unplayable: (name) => `${name} 无法在这里播放，已跳过。`,
    gone: '有一个文件已不存在，已跳过。',
    nothingToPlay: (name) => `${name} 没有可播放的内容，已跳过。`,
    end: (files, passedOver) =>
      `播放完毕：共 ${commonZh.files(files)}${passedOver === 0 ? '' : `，跳过 ${countText(passedOver)} 个`}。`,
  },

  stage: {
    files: '这一行的文件',
    allFiles: '这一行的全部文件',
    choose: (name) => `选择 ${name}`,
    drag: '可拖到其他程序中',
    paused: '已暂停',
    fromTo: (left, right) => `从 ${left} 到 ${right}`,
    peak: (level) => `峰值 ${level} dBFS`,
    loudnessMeans: '按 EBU R128 测得的响度，以及最响的采样',
    lyrics: '歌词',
  },

  deleting: {
    button: '删除已淘汰的文件…',
    ask: (files) => `永久删除 ${countText(files)} 个已淘汰的文件？`,
    confirm: (files) => `删除 ${commonZh.files(files)}`,
    decline: () => '不删除',
    earlier: (files) => `其中先前版本 ${countText(files)} 个。`,
    means: (size, _files, wasPaid) =>
      `这会在磁盘上腾出 ${size}，文件删除后无法恢复${wasPaid ? '，已付的费用也不会退回' : ''}。`,
    done: (files, size) => `已永久删除 ${countText(files)} 个淘汰的文件：${size}`,
    left: (files) => `有 ${commonZh.files(files)}未删除：在磁盘上已被改动，或无法移动。`,
  },

  keys: {
    file: '选择文件；到头后转到下一行或上一行的文件',
    row: '上一行、下一行',
    decide: '保留、淘汰、选定；再按一次取消',
    rate: '评分；再按一次取消',
    note: '写备注；按 Enter 保存',
    again: '为这一行再来一版；下方的“运行”会显示全部费用',
    undo: '撤销最近一次评定，可继续往前撤销；Ctrl 或 ⌘ Z 作用相同',
    play: '播放或暂停、静音',
    through: '连续播放：文件逐个播放，图片停留 5 秒；方向键切换前后，Space 暂停，T 或 Escape 结束',
    seek: '歌曲或视频后退、前进 5 秒',
    speed: '减速、加速播放：对所有歌曲和视频有效，0.5 至 2 倍速',
    swap: '回到先前选择的文件，从同一时刻继续：A、B、A…',
    frame: '视频的上一帧、下一帧；视频会暂停',
    wipe: '将这张图片叠在先前选择的图片上，分界线可用方向键和鼠标移动',
    loudness: '让这一行的所有文件以相同响度播放，以最轻的为准；再按一次恢复原样',
    large: '单独显示这个文件，尽可能放大；再按一次或按 Escape 恢复并排显示',
    screen: '全屏；按 S 或 Escape 回到窗口',
    zoom: '单独显示时，放大、缩小图片，与滚轮相同；Z 按实际像素显示，再按一次显示整张',
    add: '显示此后新增的行和文件',
    keys: '列出这些按键；关闭列表，或退出审阅',
  },
};
