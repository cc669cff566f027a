import type { Canvas } from './canvas.ts';

/**
 * The smallest subset of H.264 that every decoder plays (Baseline, ITU-T H.264): a macroblock is either sent as it is
 * (I_PCM, 7.3.5) or, in later pictures, skipped because it did not change (P_Skip). Without prediction the encoder
 * stays small and fast; a file is about as large as what moves in it.
 */

const BLOCK = 16;
/** Luma of 16 × 16, then Cb and Cr of 8 × 8. */
const BLOCK_BYTES = BLOCK * BLOCK * 1.5;
const PROFILE_BASELINE = 66;
const CONSTRAINTS = 0xc0;
const LEVEL_1_3 = 13;

const NAL_SLICE = 0x41;
const NAL_IDR = 0x65;
const NAL_SPS = 0x67;
const NAL_PPS = 0x68;
const SLICE_P = 5;
const SLICE_I = 7;
const MB_PCM_IN_I = 25;
const MB_PCM_IN_P = 30;
/** `frame_num` has four bits (the SPS says so) and starts again after 15. */
const FRAME_NUMBERS = 16;

/** A film: pictures, each a unit after its four-byte length, and the parameter sets, which MP4 stores separately. */
export interface H264Film {
  readonly sps: Buffer;
  readonly pps: Buffer;
  readonly pictures: readonly Buffer[];
}

/** Encodes pictures of one size, whose width and height are multiples of 16. The first is a key picture. */
export function encodeH264(frames: Iterable<Canvas>): H264Film {
  const pictures: Buffer[] = [];
  let size = { width: BLOCK, height: BLOCK };
  let before: CodedFrame | undefined;
  for (const frame of frames) {
    const blocks = blocksOf(frame, before);
    pictures.push(withLength(before ? interPicture(blocks, before.blocks, pictures.length) : keyPicture(blocks)));
    before = { frame, blocks };
    size = frame;
  }
  return { sps: sequenceParameters(size.width / BLOCK, size.height / BLOCK), pps: pictureParameters(), pictures };
}

function withLength(unit: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(unit.length);
  return Buffer.concat([length, unit]);
}

/** 7.3.2.1.1 */
function sequenceParameters(blocksWide: number, blocksHigh: number): Buffer {
  const bits = new BitWriter();
  for (const byte of [PROFILE_BASELINE, CONSTRAINTS, LEVEL_1_3]) bits.fixed(byte, 8);
  bits.unsigned(0); // seq_parameter_set_id
  bits.unsigned(0); // log2_max_frame_num_minus4
  bits.unsigned(2); // pic_order_cnt_type: shown in the order of decoding
  bits.unsigned(1); // max_num_ref_frames
  bits.fixed(0, 1); // gaps_in_frame_num_value_allowed_flag
  bits.unsigned(blocksWide - 1);
  bits.unsigned(blocksHigh - 1);
  bits.fixed(1, 1); // frame_mbs_only_flag
  bits.fixed(1, 1); // direct_8x8_inference_flag
  bits.fixed(0, 2); // no cropping, no VUI
  return bits.unit(NAL_SPS);
}

/** 7.3.2.2: CAVLC, one slice group, and slices may switch the deblocking filter off. */
function pictureParameters(): Buffer {
  const bits = new BitWriter();
  bits.unsigned(0); // pic_parameter_set_id
  bits.unsigned(0); // seq_parameter_set_id
  bits.fixed(0, 2); // entropy_coding_mode_flag, bottom_field_pic_order_in_frame_present_flag
  bits.unsigned(0); // num_slice_groups_minus1
  bits.unsigned(0); // num_ref_idx_l0_default_active_minus1
  bits.unsigned(0); // num_ref_idx_l1_default_active_minus1
  bits.fixed(0, 3); // weighted_pred_flag, weighted_bipred_idc
  for (let offset = 0; offset < 3; offset += 1) bits.unsigned(0); // pic_init_qp, pic_init_qs, chroma_qp_index_offset
  bits.fixed(0b100, 3); // deblocking_filter_control_present_flag; neither constrained intra nor redundant pictures
  return bits.unit(NAL_PPS);
}

/** 7.3.3 up to where I and P slices, key pictures and others, begin to differ. */
function sliceHeader(bits: BitWriter, sliceType: number, frameNumber: number): void {
  bits.unsigned(0); // first_mb_in_slice
  bits.unsigned(sliceType);
  bits.unsigned(0); // pic_parameter_set_id
  bits.fixed(frameNumber, 4);
}

function keyPicture(blocks: readonly Buffer[]): Buffer {
  const bits = new BitWriter();
  sliceHeader(bits, SLICE_I, 0);
  bits.unsigned(0); // idr_pic_id
  bits.fixed(0, 2); // no_output_of_prior_pics_flag, long_term_reference_flag
  sliceFilters(bits);
  for (const block of blocks) {
    bits.unsigned(MB_PCM_IN_I);
    bits.bytes(block);
  }
  return bits.unit(NAL_IDR);
}

function interPicture(blocks: readonly Buffer[], before: readonly Buffer[], index: number): Buffer {
  const bits = new BitWriter();
  sliceHeader(bits, SLICE_P, index % FRAME_NUMBERS);
  bits.fixed(0, 3); // no num_ref_idx override, no list modification, no adaptive marking
  sliceFilters(bits);
  let skipped = 0;
  for (const [at, block] of blocks.entries()) {
    if (before[at] === block) {
      skipped += 1;
      continue;
    }
    bits.unsigned(skipped);
    bits.unsigned(MB_PCM_IN_P);
    bits.bytes(block);
    skipped = 0;
  }
  if (skipped > 0) bits.unsigned(skipped);
  return bits.unit(NAL_SLICE);
}

function sliceFilters(bits: BitWriter): void {
  bits.unsigned(0); // slice_qp_delta
  bits.unsigned(1); // disable_deblocking_filter_idc
}

/** A picture and its macroblocks, as Y, Cb, Cr of ITU-R BT.601, in their order. */
interface CodedFrame {
  readonly frame: Canvas;
  readonly blocks: readonly Buffer[];
}

/** A picture's macroblocks; where nothing changed, those of the picture before. */
function blocksOf(frame: Canvas, before: CodedFrame | undefined): readonly Buffer[] {
  const blocks: Buffer[] = [];
  for (let top = 0; top < frame.height; top += BLOCK) {
    for (let left = 0; left < frame.width; left += BLOCK) {
      const former = before?.blocks[blocks.length];
      const isSame = before !== undefined && isBlockSame(frame, before.frame, left, top);
      blocks.push(former !== undefined && isSame ? former : blockOf(frame, left, top));
    }
  }
  return blocks;
}

function isBlockSame({ width, pixels }: Canvas, former: Canvas, left: number, top: number): boolean {
  for (let y = top; y < top + BLOCK; y += 1) {
    const start = (y * width + left) * 3;
    for (let at = start; at < start + BLOCK * 3; at += 1) if (pixels[at] !== former.pixels[at]) return false;
  }
  return true;
}

function blockOf({ width, pixels }: Canvas, left: number, top: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let y = 0; y < BLOCK; y += 1) {
    for (let x = 0; x < BLOCK; x += 1) {
      const at = ((top + y) * width + left + x) * 3;
      const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
      block[y * BLOCK + x] = 16.5 + 0.257 * red + 0.504 * green + 0.098 * blue;
      // The first pixel's colour stands for each block of 2 × 2 pixels.
      if (y % 2 === 1 || x % 2 === 1) continue;
      const colour = BLOCK * BLOCK + (y / 2) * (BLOCK / 2) + x / 2;
      block[colour] = 128.5 - 0.148 * red - 0.291 * green + 0.439 * blue;
      block[colour + 64] = 128.5 + 0.439 * red - 0.368 * green - 0.071 * blue;
    }
  }
  return block;
}

/** Writes the bits of one unit (7.2, 9.1). */
class BitWriter {
  readonly #parts: Buffer[] = [];
  #bits: number[] = [];

  fixed(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit -= 1) this.#bits.push((value >> bit) & 1);
  }

  /** Exp-Golomb: as many zeros as `value + 1` has digits after its first. */
  unsigned(value: number): void {
    const digits = 32 - Math.clz32(value + 1);
    this.fixed(0, digits - 1);
    this.fixed(value + 1, digits);
  }

  /** Whole bytes, after zeros up to the next byte. */
  bytes(content: Buffer): void {
    this.#flush();
    this.#parts.push(content);
  }

  /**
   * The unit: its header byte, then everything written and its end. It needs no guards against start codes (7.4.1):
   * samples are at least 16, and there are never enough zeros between them.
   */
  unit(header: number): Buffer {
    this.#bits.push(1);
    this.#flush();
    return Buffer.concat([Buffer.from([header]), ...this.#parts]);
  }

  #flush(): void {
    while (this.#bits.length % 8 !== 0) this.#bits.push(0);
    const bytes = Buffer.alloc(this.#bits.length / 8);
    for (const [at, bit] of this.#bits.entries()) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (bit << (7 - (at & 7)));
    this.#parts.push(bytes);
    this.#bits = [];
  }
}
