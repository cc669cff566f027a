/** The body of a request as JSON, read within limits: nothing that the sender says is trusted. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';

/** A sheet of 8 MiB as JSON text. */
const MOST_BYTES = 20 * 1024 * 1024;
/** The limit for all requests together. */
const MOST_BYTES_IN_ALL = 64 * 1024 * 1024;

/** Why a body is not read. */
export interface BodyRefusal {
  readonly status: 400 | 411 | 413 | 415 | 503;
  readonly message: string;
  readonly remedy: string;
}

/** Reads bodies, and knows how much of them is in memory. */
export class BodyReader {
  #bytes = 0;

  /** Reads a body; rejects if the connection breaks before its end. */
  async read(request: IncomingMessage, response: ServerResponse): Promise<Result<unknown, BodyRefusal>> {
    const { headers } = request;
    const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/json' || headers['content-encoding'] !== undefined) {
      return err({
        status: 415,
        message: 'The body is not plain JSON.',
        remedy: 'Send JSON with “Content-Type: application/json”, and without an encoding.',
      });
    }
    const length = Number(headers['content-length'] ?? 0);
    if (length > MOST_BYTES) return err(TOO_LARGE);
    if (this.#bytes + length > MOST_BYTES_IN_ALL) return err(BUSY);
    if (headers.expect !== undefined) response.writeContinue();
    const chunks: Buffer[] = [];
    let read = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        read += chunk.length;
        this.#bytes += chunk.length;
        if (read > MOST_BYTES) return err(TOO_LARGE);
        if (this.#bytes > MOST_BYTES_IN_ALL) return err(BUSY);
        chunks.push(chunk);
      }
      return parse(Buffer.concat(chunks));
    } finally {
      this.#bytes -= read;
    }
  }
}

const TOO_LARGE: BodyRefusal = {
  status: 413,
  message: 'The body is larger than 20 MiB.',
  remedy: 'Put the sheet into a file in a folder of --sheets, and name it.',
};
const BUSY: BodyRefusal = { status: 503, message: 'Too many bodies are being read.', remedy: 'Ask again in a moment.' };

function parse(bytes: Buffer): Result<unknown, BodyRefusal> {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return err({ status: 400, message: 'The body is not JSON in UTF-8.', remedy: 'Send one JSON object.' });
  }
}
