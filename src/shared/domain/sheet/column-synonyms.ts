import { foldName } from '../base/nearest-name.ts';

/** Columns for source images: each operation has its own name for them. */
const START_IMAGES = ['images', 'imageList', 'image_urls'];
const RATIO = ['aspectRatio', 'aspect_ratio'];

/**
 * Headers that people write, by the column that they mean: only words whose meaning is sure, also in German, French,
 * Spanish, Chinese and Japanese. Case, spaces, hyphens, dots and underscores make no difference.
 */
const SYNONYMS: readonly (readonly [columns: readonly string[], words: readonly string[]])[] = [
  [['row'], ['ID', 'row id', 'row name', 'Kennung', 'identifiant', 'identificador', '编号']],
  [
    ['operation'],
    ['type', 'kind', 'operation type', 'job type', 'task type', 'media type', 'Typ', 'Vorgang', 'opération']
      .concat(['tipo', 'operación', '操作', '类型', '種類'])
      .concat(['operation name', 'job']),
  ],
  [
    ['filename'],
    ['output name', 'output file', 'Dateiname', 'nom du fichier', 'nombre de archivo', '文件名', 'ファイル名'],
  ],
  [
    ['takes'],
    ['count', 'versions', 'version count', 'number of versions', 'copies', 'variations', 'variants', 'quantity', 'qty']
      .concat(['Anzahl', 'Versionen', 'Varianten', 'nombre de versions', 'cantidad', 'versiones'])
      .concat(['数量', '次数', '件数']),
  ],
  [['priority'], ['Priorität', 'priorité', 'prioridad', '优先级', '優先度']],
  [['skip'], ['leave out', 'exclude', 'überspringen', 'auslassen', 'ignorer', 'omitir', '跳过', 'スキップ']],
  [
    ['note'],
    [
      'notes',
      'comment',
      'comments',
      'remark',
      'remarks',
      'Notiz',
      'Notizen',
      'Bemerkung',
      'Kommentar',
      'remarque',
    ].concat(['commentaire', 'nota', 'notas', 'comentario', '备注', 'メモ', '備考']),
  ],
  [['seed'], ['random seed', 'seed number', '随机种子', 'シード']],
  [
    ['prompt'],
    ['prompt text', 'text prompt', 'prompts', 'your prompt', 'user prompt', 'image prompt', 'video prompt']
      .concat(['music prompt', 'song prompt', 'texte du prompt', 'texto del prompt'])
      .concat(['提示词', '提示', 'プロンプト']),
  ],
  [['gpt_description_prompt'], ['song description', 'music description', 'description prompt']],
  [
    ['tags'],
    ['style', 'styles', 'genre', 'genres', 'music style', 'musical style', 'style of music', 'music genre', 'tag']
      .concat(['Stil', 'Musikstil', 'style musical', 'genre musical', 'estilo', 'estilos', 'género', 'géneros'])
      .concat(['风格', '音乐风格', '流派', 'ジャンル', 'スタイル']),
  ],
  [
    ['negative_tags'],
    ['negative prompt', 'negative style', 'negative styles', 'exclude styles', 'styles to avoid', '负面提示词'],
  ],
  [
    ['title'],
    [
      'song title',
      'song name',
      'track title',
      'track name',
      'Titel',
      'Songtitel',
      'titre',
      'titre de la chanson',
    ].concat(['título', 'título de la canción', '歌名', '标题', '歌曲名', '曲名', 'タイトル']),
  ],
  [['make_instrumental'], ['instrumental', 'is instrumental', 'instrumental only', 'no vocals', '纯音乐', 'インスト']],
  [['vocal_gender'], ['voice gender', 'singer gender', 'gender', 'gender of the voice']],
  [['clip_id'], ['clip', 'source clip']],
  [['continue_at'], ['continue from', 'extend from', 'extend at']],
  [['range.start_s'], ['range start']],
  [['range.end_s'], ['range end']],
  [['persona.persona_id'], ['persona', 'persona id']],
  [['persona.artist_clip_id'], ['artist clip', 'artist clip id']],
  [['controls.style_weight'], ['style weight', 'style strength']],
  [['controls.audio_weight'], ['audio weight', 'audio strength']],
  [['controls.weirdness_constraint'], ['weirdness', 'weirdness constraint']],
  [['name'], ['persona name', 'voice name']],
  [['description'], ['persona description', 'voice description']],
  [['is_public'], ['public']],
  [['audioUrl'], ['audio', 'audio link', 'audio address', 'song url', 'mp3 url', '音频链接', '音声URL']],
  [
    START_IMAGES,
    ['image', 'image url', 'image link', 'start image', 'start images', 'reference image', 'reference images']
      .concat(['source image', 'source images', 'input image', 'input images', 'picture', 'pictures', 'Bild', 'Bilder'])
      .concat(['imagen', 'imágenes', '图片', '参考图', '画像', '参照画像']),
  ],
  [
    RATIO,
    ['aspect', 'ratio', 'Seitenverhältnis', 'ratio d’aspect', "ratio d'aspect", 'relación de aspecto'].concat([
      '画面比例',
      '宽高比',
      '长宽比',
      'アスペクト比',
      '縦横比',
    ]),
  ],
  [['orientation'], ['Ausrichtung', 'orientación', '画面方向']],
  [
    ['duration'],
    ['length', 'seconds', 'length in seconds', 'duration in seconds', 'duration seconds', 'duration s', 'Dauer'].concat(
      ['duration (s)', 'length (s)', 'Länge', 'durée', 'duración', '时长', '秒数', '長さ'],
    ),
  ],
  [['removeWatermark'], ['no watermark', 'without watermark', 'ohne Wasserzeichen', 'sans filigrane', '去水印']],
  [['translation'], ['translate', 'translate prompt']],
  [
    ['num_images'],
    ['number of images', 'image count', 'images count', 'how many images', 'Anzahl Bilder', 'nombre d’images'].concat([
      'número de imágenes',
      '图片数量',
      '画像数',
      '枚数',
    ]),
  ],
  [['resolution'], ['Auflösung', 'résolution', 'resolución', '分辨率', '解像度']],
  [['model'], ['Modell', 'modèle', 'modelo', '模型', 'モデル']],
];

/** Words that may mean one of these columns, or something else: they are only suggested. */
const HINTS: readonly (readonly [columns: readonly string[], words: readonly string[]])[] = [
  [['prompt'], ['lyrics', 'text', 'idea', 'scene', 'Beschreibung', 'Liedtext', '歌词', '歌詞', '描述']],
  [
    ['prompt', 'gpt_description_prompt'],
    ['description', 'descripción', 'what'],
  ],
  [['tags'], ['mood', 'vibe', 'Stimmung', 'instruments']],
  [['operation'], ['task', 'action', 'family', 'media']],
  [
    ['filename', 'audioUrl', ...START_IMAGES],
    ['file', 'url', 'link', 'address', 'source'],
  ],
  [
    ['vocal_gender', 'persona.persona_id'],
    ['voice', 'singer', 'vocals', 'Stimme'],
  ],
  [
    ['range.start_s', 'continue_at'],
    ['start', 'from', 'begin'],
  ],
  [
    ['range.end_s', 'duration'],
    ['end', 'until', 'to'],
  ],
  [
    [...RATIO, 'size', 'resolution'],
    ['format', 'dimensions'],
  ],
  [['row'], ['number', 'no', 'nr', '#', 'name', 'scene no', 'track no']],
  [
    ['num_images', 'takes'],
    ['images per prompt', 'outputs', 'results'],
  ],
];

const COLUMNS_BY_WORD = byWord(SYNONYMS);
const HINTS_BY_WORD = byWord(HINTS);

function byWord(table: typeof SYNONYMS): ReadonlyMap<string, readonly string[]> {
  return new Map(table.flatMap(([columns, words]) => words.map((word) => [foldName(word), columns] as const)));
}

/** The columns that a header surely means in other words; none for any other header. */
export function synonymsOf(header: string): readonly string[] {
  return COLUMNS_BY_WORD.get(foldName(header)) ?? [];
}

/** Columns that a header may mean, to suggest to its author. */
export function hintsOf(header: string): readonly string[] {
  return HINTS_BY_WORD.get(foldName(header)) ?? [];
}

/** Every word of both tables with its columns, as written. */
export const WRITTEN_SYNONYMS = [...SYNONYMS, ...HINTS];
