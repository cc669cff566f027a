import { countText } from '../../domain/base/text.ts';
import type { OperationsWords } from '../en/operations.ts';

const ASKED_OTHERWISE = '如果不合适，请重新生成该行，或更正该行的要求。';

export const operationsZh: OperationsWords = {
  families: { musicgen: '音乐', 'videogen-a': '视频 A', 'videogen-b': '视频与图像 B' },

  submit: {
    music: {
      title: '音乐',
      help: '根据提示词、歌词或另一个片段生成歌曲。',
      example: '歌曲：根据歌词、根据描述，以及无人声。',
    },
    'video-a': { title: '视频 A', help: '用第一个视频系列生成视频。', example: '根据文字生成三段短视频。' },
    'video-b': {
      title: '视频 B',
      help: '用第二个视频系列生成视频。',
      example: '根据文字生成三段短视频，两种画面比例。',
    },
    persona: {
      title: '声线',
      help: '从片段中制作声线，即用来演唱的嗓音。',
      example: '一首歌曲，以及由它制作、可演唱其他歌曲的声线。',
    },
    concat: {
      title: '拼接',
      help: '将续写片段的各部分合为一首歌曲。',
      example: '一首歌曲、它的续写，以及两者的拼接。',
    },
    lyrics: { title: '歌词', help: '根据提示词写歌词。', example: '三份歌词，现在阅读，以后演唱。' },
    upload: {
      title: '上传',
      help: '通过网址将音频交给网关，作为片段使用。',
      example: '由网上的音频得到的片段。',
    },
    'upsample-tags': {
      title: '扩写风格',
      help: '将几个词扩写成丰富的风格描述。',
      example: '由几个词得到的三段丰富的风格描述。',
    },
    downbeats: { title: '强拍', help: '找出片段的强拍。', example: '一首歌曲，及其强拍的时间。' },
    timing: { title: '歌词对时', help: '为片段的歌词标注时间。', example: '一首歌曲，及其每个词的时间。' },
    wav: { title: 'WAV', help: '将片段输出为 WAV。', example: '一首歌曲，以及同一首歌曲的 WAV。' },
    mp4: { title: 'MP4', help: '将片段输出为视频。', example: '一首歌曲，以及同一首歌曲的视频。' },
    image: {
      title: '图像',
      help: '根据提示词或其他图像生成图像。',
      example: '根据文字生成图片，三种画面比例。',
    },
  },

  fields: {
    task: '要做什么：用于网关支持多种任务的情况，例如延长或翻唱片段。',
    model: '生成所用的模型。',
    instrumental: '为 true 时生成无人声的音乐。',
    lyricsOrPrompt: '歌词或提示词。',
    continuedLyrics: '被续写片段的歌词。',
    infillLyrics: '填补部分的歌词。',
    songDescription: '网关据以创作歌曲的描述。',
    tags: '想要的风格。',
    negativeTags: '要避免的风格。',
    songTitle: '歌曲的标题。',
    clipToUse: '要续写、翻唱或填补的片段。',
    continueAt: '从片段的何处续写；接口未说明单位，网关按秒处理。',
    range: '要处理的片段部分。',
    infillRange: '填补时参考的片段部分。',
    voice: '演唱所用的声线。',
    personaClip: '制作该声线的片段。',
    persona: '声线。',
    controls: '遵循所给内容的严格程度。',
    styleWeight: '风格的权重；通常为 0 到 100。',
    audioWeight: '所给音频的权重；通常为 0 到 100。',
    weirdness: '偏离的程度；通常为 0 到 100。',
    vocalGender: '人声的性别。',
    clip: '要处理的片段：网关给出的 ID。',
    start: '开始时间，以秒为单位。',
    end: '结束时间，以秒为单位；晚于开始时间。',
    videoPrompt: '视频的内容。',
    images: '起始图像的网址。',
    orientation: '画面的方向。',
    size: '画面的尺寸。',
    duration: '时长；网关按秒处理。',
    removeWatermark: '为 true 时生成无水印的视频。',
    edit: '要接续的编辑。',
    action: '要做什么：用于网关支持多种动作的情况。',
    video: '要处理的视频。',
    aspectRatio: '宽高比，例如 16:9。',
    translation: '为 true 时先翻译提示词。',
    isPublic: '为 true 时允许他人使用。',
    personaName: '声线的名称。',
    personaDescription: '声线的特点。',
    personaPicture: '声线的图片：网关给出的 ID。',
    isInfill: '片段是填补而非续写而来时为 true。',
    project: '片段所属的项目。',
    editSession: '片段所属的编辑会话。',
    lyricsModel: '写作所用的模型。',
    lyricsPrompt: '歌词的内容。',
    audioAddresses: '音频的网址。',
    styleWords: '描述风格的词。',
    imagePrompt: '图像的内容。',
    imageCount: '图像的数量。',
    resolution: '图像的分辨率。',
  },

  chains: {
    'lyrics-to-song': {
      title: '歌词、歌曲、WAV 和视频',
      makes: '歌词、由此生成的歌曲，以及这首歌曲的 WAV、视频和每个词的时间。',
    },
    'song-in-one-voice': {
      title: '同一声线的多首歌曲',
      makes: '一首歌曲、由其人声制作的声线，以及用该声线演唱的另外两首歌曲。',
    },
    'picture-to-video': { title: '图片到视频', makes: '一张图片，以及每个系列各一段由它开始的视频。' },
    'upload-to-cover': {
      title: '翻唱自己的音频',
      makes: '由自己的音频得到的片段、两个不同风格的翻唱，以及其中一个的 WAV。',
    },
    'long-song': { title: '分三部分的长歌曲', makes: '一首歌曲、两段续写，以及三者拼接成的歌曲。' },
    'rich-style': { title: '细致描述的风格', makes: '由三个词得到的丰富描述，以及该风格的两首歌曲。' },
    variations: { title: '一个提示词，多个结果', makes: '由一个提示词生成的六张图片，每行使用自定义列和抽取的选项。' },
  },
  emptySheet: { title: '空表格', makes: '没有行的表格。添加需要的列即可。' },

  gates: {
    decodes: {
      title: '可解码到结尾',
      rule: '解码在结尾前中断，或发现超过 N 处损坏',
      remedy: '完整播放一遍。如果已损坏，请重新生成该行。',
    },
    tiny: {
      title: '几乎没有内容',
      rule: '文件少于 N 字节',
      remedy: '查看或试听：这么小的文件很少有内容。如果确实没有，请重新生成该行。',
    },
    short: { title: '非常短', rule: '时长短于 N 秒', remedy: '试听或观看：如果缺少内容，请重新生成该行。' },
    length: {
      title: '时长符合要求',
      rule: '时长与该行所要求的 `duration` 相差超过 N %（且超过半秒）',
      remedy: ASKED_OTHERWISE,
    },
    aspect: {
      title: '画面比例符合要求',
      rule: '宽高比与该行所要求的比例、尺寸或方向相差超过 N %',
      remedy: ASKED_OTHERWISE,
    },
    resolution: { title: '分辨率符合要求', rule: '短边比该行所要求的尺寸或分辨率小 N % 以上', remedy: ASKED_OTHERWISE },
    silence: {
      title: '静音',
      rule: '超过 N % 的声音是静音（低于 -50 dB 达半秒或更久）',
      remedy: '试听：如果静音并非有意，请重新生成该行。',
    },
    quiet: {
      title: '音量过低',
      rule: '按 EBU R128 测得的响度低于 N LUFS',
      remedy: '试听：如果音量低得无法使用，请重新生成该行。',
    },
    loud: {
      title: '音量过高',
      rule: '按 EBU R128 测得的响度高于 N LUFS',
      remedy: '试听有无失真：如果有，请重新生成该行。',
    },
    clipping: {
      title: '削波',
      rule: '超过 N % 的采样在最大电平处被削平',
      remedy: '试听有无失真：如果有，请重新生成该行。',
    },
    black: {
      title: '黑屏',
      rule: '画面全黑超过时长的 N %；图像则为黑色部分超过 N %',
      remedy: '查看：如果黑色并非有意，请重新生成该行。',
    },
    frozen: {
      title: '画面静止',
      rule: '画面静止超过时长的 N %；不用于显示歌曲封面的 `mp4`',
      remedy: '观看：如果画面应当运动，请重新生成该行。',
    },
    blur: {
      title: '模糊',
      rule: '边缘平均宽度超过 N，由 ffmpeg 的 blurdetect 在不超过 640 像素的画面上测得',
      remedy: '以原始大小查看：如果失焦且并非有意，请重新生成该行。',
    },
    twin: {
      title: '与另一版看起来或听起来相同',
      rule: '同一行的另一版与它字节相同，或画面相差不到 N %',
      remedy: '比较两者：如果应当不同，请重新生成其中之一。',
    },
  },
  unchecked: {
    'no-ffmpeg': '未检查：未安装 ffmpeg',
    elsewhere: '未检查：文件不在这台电脑的磁盘上',
    missing: '未检查：文件不存在',
    late: '未检查：测量用时过长',
    large: '未检查：画面大于 8K',
    failed: '未检查：无法运行 ffmpeg',
  },
  noGateValue: (written, gate, { least, most, usual }) => ({
    message: `${written} 不是质检 ${gate} 的有效值。`,
    remedy: `填写 ${least} 到 ${most} 之间的数字；通常为 ${usual}。`,
  }),

  connection: {
    results: {
      works: { title: '连接正常', advice: '网关有应答并接受密钥。没有产生费用。' },
      'key-missing': { title: '这里有网关应答', advice: '输入它的密钥，然后再次测试，看密钥是否被接受。' },
      'key-rejected': { title: '网关拒绝密钥', advice: '重新复制密钥。它必须属于这个网关且仍然有效。' },
      'path-unclear': {
        title: '网关有应答，但返回 404',
        advice:
          '可能是基础网址的路径不对，也可能只是网关不认识此测试虚构的任务。请与网关提供的基础网址核对。没有产生费用。',
      },
      'wrong-path': {
        title: '网关有应答，但不认识这个路径',
        advice: '检查基础网址，尤其是其中的路径：它是 /musicgen 和 /videogen-b 之前的地址。',
      },
      unclear: { title: '有应答，但对方出了问题', advice: '地址可能是对的。请过几分钟再测试。' },
      'not-a-gateway': {
        title: '这不是 Nocturne 能理解的网关',
        advice: '检查基础网址，尤其是其中的路径：它是 /musicgen 和 /videogen-b 之前的地址。',
      },
    },
    unreachable: {
      title: '无法连接到网关',
      advice: {
        name: '网络中找不到它的名称。检查拼写，以及这台电脑是否已联网。',
        refused: '该地址和端口没有服务。检查端口，以及网关是否在运行。',
        certificate: '其证书不能证明它就是这个网关，因此没有发送密钥。检查地址、这台电脑的时钟，以及中间是否有代理。',
        'no-answer': '没有及时收到应答。检查地址，以及中间是否有防火墙。',
        other: '检查地址和网络。',
      },
    },
  },

  answers: {
    submit: '提交',
    poll: (name) => `查询（${name ?? '在路径中'}）`,
    noContentType: '无内容类型',
    code: (code) => `代码 ${code}`,
    foundAt: (place) => `位于 ${place}`,
    line: (parts, end) => `${parts.join('，')}：${end}`,
    ends: {
      accepted: '已接受',
      'rate-limited': '暂时拒绝',
      held: '整夜拒绝',
      rejected: '已拒绝',
      unknown: '不明',
      running: '仍在生成',
      rendered: '已生成',
      data: '有结果',
      failed: '失败',
      'poll-error': '没有记录',
      pause: '整夜拒绝',
    },
  },
  measures: {
    'retry-after': (range, at) => `要求等待 ${range} 秒（${at}）`,
    'rate-limit': (range, at) => `允许 ${range} 个请求，未说明时长（${at}）`,
    'rate-per-second': (range, at) => `每秒允许 ${range} 个请求（${at}）`,
    'accepted-active': (range) => `网关处有 ${range} 个任务时接受了提交`,
    'refused-active': (range) => `网关处有 ${range} 个任务时因频率拒绝了提交`,
    'submit-seconds': (range) => `${range} 秒后应答提交`,
    cost: (range, at) => `给出的费用为 ${range}（${at}）`,
    balance: (range, at) => `给出的余额为 ${range}（${at}）`,
  },
  proposals: {
    noSetting: { message: '没有这项设置。', remedy: '请重新查看建议。' },
    failed: (tasks, family, status) =>
      `${countText(tasks)} 个任务（${family}）以状态“${status}”结束且没有文件；从未有过文件。`,
    succeeded: (tasks, family, status) =>
      `${countText(tasks)} 个任务（${family}）在状态“${status}”时有结果；没有一个在此状态下仍在生成或失败。`,
    taskCode: (answers, name) =>
      `任务编号${name === undefined ? '作为路径结尾' : `在查询中以“${name}”`}传递时，${countText(answers)} 个应答有记录；其他方式都没有。`,
    okCodes: (answers, codes, others) =>
      `${countText(answers)} 个成功应答的代码为 ${codes.join(' 或 ')}；拒绝时${others.length === 0 ? '没有代码' : `为 ${others.join('、')}`}，尽管其 HTTP 状态为 200。`,
    rate: (headers, answers) => `其应答如此说明：${countText(answers)} 个应答中的 ${headers.join('、')}。`,
    active: (refused, family, least, most) =>
      `网关处有 ${least} 个或更多任务时，${countText(refused)} 次提交（${family}）因频率被拒绝；超过 ${most} 个时从未接受过。`,
    slowSubmit: (took, deadline) => `一次提交的应答用了 ${took} 秒。超过 ${deadline} 秒就会放弃等待，结果不明。`,
    longTask: (hours, deadline) => `一次生成用了 ${hours} 小时；超过 ${deadline} 小时的任务视为逾期。`,
    costAt: (answers, at) =>
      `${countText(answers)} 个应答在 ${at} 处有数字。如果它是该次调用的费用，账本就能说明实际支出。`,
    price: (answers, range) => `${countText(answers)} 个应答说明了费用：${range}。建议取最高值，以便遵守上限。`,
    range: (least, most) => `${least} 到 ${most}`,
  },

  secret: {
    keyEmpty: '密钥为空。',
    keyCharacters: '密钥含有空格或标头无法携带的字符。',
    keyLong: (most) => `密钥超过 ${countText(most)} 个字符。`,
    keyShort: (least) => `密钥不足 ${least} 个字符：无法避免它出现在文件和日志中。`,
    keyEscapes: '密钥几乎全由转义（%41、\\x41、&amp;）组成：无法避免它出现在文件和日志中。',
    token: '访问令牌是一个由可打印 ASCII 字符组成的词。',
    signing: '签名密钥由 whsec_ 和 base64 编码的 24 到 64 字节组成，与 Standard Webhooks 规范一致。',
  },

  files: {
    noneThere: '服务器上的存储，其工作机没有这台电脑的文件。',
    put: (place, { left, deleted, notOurs, problems }) => {
      const parts = [
        `已删除 ${countText(deleted)} 个`,
        ...(left === 0 ? [] : [`仍有 ${countText(left)} 个${problems.length === 0 ? '，保留到没有行需要为止' : ''}`]),
        ...(notOurs === 0 ? [] : [`${countText(notOurs)} 个保持原样，因为不应由我们删除`]),
      ];
      return `放在 ${place} 的文件：${parts.join('；')}。`;
    },
  },

  template: {
    tooLong: (most) => `超过 ${countText(most)} 个字符。`,
    deep: (folders, most) => `共有 ${folders} 层文件夹；最多创建 ${most} 层。`,
    lone: (brace, at) => `第 ${countText(at)} 个字符处的“${brace}”是单独的：花括号只用于名称，例如 {row}。`,
    noName: (written, at, meant, known) =>
      `第 ${countText(at)} 个字符处的名称 ${written} 不存在。${meant === undefined ? '' : `是否想写 ${meant}？`}${known}`,
    names: (own, columns, more) =>
      `名称：${own.join('、')}${columns.length === 0 ? '' : `；列：${columns.join('、')}${more > 0 ? `等，另有 ${countText(more)} 列` : ''}`}。`,
  },
};
