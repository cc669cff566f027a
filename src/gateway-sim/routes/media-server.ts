import type { IncomingMessage, ServerResponse } from 'node:http';
import { assertNever } from '../../shared/domain/base/result.ts';
import { send, WEB_PAGE } from './answers.ts';
import type { FaultAt, FaultRule } from '../faults/fault-rules.ts';
import type { GatewayState } from '../gateway-state.ts';
import { samplePng } from '../media/render.ts';
import type { PlannedOutput } from '../media/planned-outputs.ts';
import { CONTENT_TYPES, outputBytes, outputsOf } from '../media/planned-outputs.ts';
import { httpFault, redirect } from './answer-submit.ts';
import type { GatewayTask } from '../tasks.ts';
import { stateOf } from '../tasks.ts';
import { readMediaPath } from './urls.ts';

type DownloadFault = FaultAt<'download'>;

/** One request for a file. */
interface Download {
  readonly gateway: GatewayState;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly task: GatewayTask;
  readonly output: PlannedOutput;
}

/** How to send a file: which bytes, and which headers. */
interface FileReply {
  readonly content: Buffer;
  readonly mediaType: string;
  readonly etag: string | undefined;
  readonly length: 'declared' | 'chunked' | 'close';
}

const EARLY_FRACTION = 0.4;

/** Serves a file of a finished task, on either origin. */
export function serveMedia(gateway: GatewayState, request: IncomingMessage, response: ServerResponse): void {
  gateway.counters.downloads += 1;
  if (request.headers['aikey'] !== undefined) gateway.counters.keyLeaks += 1;
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'MethodNotAllowed');
  const [path = '', queryText = ''] = (request.url ?? '').split('?', 2);
  const query = new URLSearchParams(queryText);
  const address = readMediaPath(gateway.seed, path, query);
  if (!address) return refuse(response, 403, 'SignatureDoesNotMatch');
  if (sendElsewhere(gateway, response, path, query)) return undefined;
  if (gateway.now() > address.expiresAt)
    return refuse(response, gateway.behaviour.urls.expiredHttp, 'Request has expired');
  const task = gateway.tasks.at(address.seq);
  const output = task && outputsOf(task, gateway.behaviour)[address.index];
  if (!task || !output) return refuse(response, 404, 'NoSuchKey');
  const download: Download = { gateway, request, response, task, output };
  const state = stateOf(task, gateway.now());
  if (state === 'running' && gateway.behaviour.results.earlyUrl) return sendBeginning(download);
  if (state !== 'succeeded') return refuse(response, 404, 'NoSuchKey');
  if (request.method === 'HEAD') return sendFile(download, rightReply(download));
  const times = (task.downloads[output.index] ?? 0) + 1;
  task.downloads[output.index] = times;
  const fault: DownloadFault | undefined = gateway.faults.draw(
    'download',
    task.operation,
    `${task.seed}/${output.index}/${times}`,
  );
  return fault ? sendBroken(download, fault) : sendFile(download, rightReply(download));
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;
  response.writeHead(status, { 'Content-Type': 'application/xml', 'Content-Length': body.length });
  response.end(body);
}

/** Redirects as often as the behaviour demands; the query counts the hops so far. */
function sendElsewhere(gateway: GatewayState, response: ServerResponse, path: string, query: URLSearchParams): boolean {
  const { redirect: kind, redirectHops } = gateway.behaviour.media;
  const hop = Number(query.get('hop') ?? 0);
  if (kind === 'none' || hop >= redirectHops) return false;
  query.set('hop', `${hop + 1}`);
  const origin = kind === 'cross-origin' ? gateway.otherOrigin : gateway.origin;
  response.writeHead(302, { Location: `${origin}${path}?${query.toString()}`, 'Content-Length': 0 });
  response.end();
  return true;
}

function rightReply({ gateway, task, output }: Download): FileReply {
  const { media } = gateway.behaviour;
  const tag = `"${task.seed.toString(16)}-${output.index}-${task.versions[output.index] ?? 0}"`;
  const etags = { strong: tag, weak: `W/${tag}`, none: undefined };
  return {
    content: outputBytes(gateway, task, output),
    mediaType: CONTENT_TYPES[output.format],
    etag: etags[media.etag],
    length: media.length,
  };
}

/** The beginning of a file that is still being rendered, as a stream with no declared length. */
function sendBeginning(download: Download): void {
  const reply = rightReply(download);
  const content = reply.content.subarray(0, Math.floor(reply.content.length * EARLY_FRACTION));
  sendFile(download, { ...reply, content, etag: undefined, length: 'chunked' });
}

interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

function sendFile(download: Download, reply: FileReply): void {
  const { request, response, gateway } = download;
  const total = reply.content.length;
  const headers = headersOf(reply, gateway.behaviour.media.ranges);
  const range = gateway.behaviour.media.ranges ? wantedRange(request, reply) : undefined;
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'Content-Range': `bytes */${total}`, 'Content-Length': 0 });
    response.end();
    return;
  }
  const part = range ? reply.content.subarray(range.start, range.end) : reply.content;
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end - 1}/${total}`;
  if (reply.length === 'declared') headers['Content-Length'] = `${part.length}`;
  if (reply.length === 'close') {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
  }
  response.writeHead(range ? 206 : 200, headers);
  if (request.method === 'HEAD') response.end();
  else if (reply.length === 'declared') response.end(part);
  else {
    // Written separately from the end: if `end` got the body, Node would add a length.
    response.write(part);
    response.end();
  }
}

function headersOf(reply: FileReply, ranges: boolean): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': reply.mediaType };
  if (ranges) headers['Accept-Ranges'] = 'bytes';
  if (reply.etag !== undefined) headers['ETag'] = reply.etag;
  return headers;
}

/** The requested range; undefined sends the whole file (several ranges, or an If-Range that does not match). */
function wantedRange(request: IncomingMessage, reply: FileReply): ByteRange | 'unsatisfiable' | undefined {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
  if (!asked || (asked[1] === '' && asked[2] === '')) return undefined;
  const condition = request.headers['if-range'];
  if (condition !== undefined && (condition !== reply.etag || condition.startsWith('W/'))) return undefined;
  const total = reply.content.length;
  const [, first = '', last = ''] = asked;
  const start = first === '' ? Math.max(0, total - Number(last)) : Number(first);
  const end = first === '' || last === '' ? total : Math.min(total, Number(last) + 1);
  return start < end ? { start, end } : 'unsatisfiable';
}

function sendBroken(download: Download, fault: DownloadFault): void {
  const { gateway, request, response, task, output } = download;
  const right = rightReply(download);
  switch (fault.kind) {
    case 'lost':
    case 'silent':
      return void send(response, { kind: fault.kind === 'lost' ? 'cut' : 'silent' });
    case 'http':
      return void send(response, httpFault(gateway, fault));
    case 'redirect':
      return void send(response, redirect(gateway, fault));
    case 'slow':
      setTimeout(() => sendFile(download, right), fault.delayMs).unref();
      return undefined;
    case 'empty':
      return sendFile(download, { ...right, content: Buffer.alloc(0) });
    case 'expired':
      return refuse(response, fault.status, 'Request has expired');
    case 'mislabelled':
      return sendFile(download, { ...right, content: fault.as === 'png' ? samplePng() : Buffer.from(WEB_PAGE) });
    case 'truncated':
      return sendTruncated(download, right, fault);
    case 'replaced':
      task.versions[output.index] = (task.versions[output.index] ?? 0) + 1;
      return sendFile(download, rightReply(download));
    case 'wrong-range':
      return request.headers.range === undefined ? sendFile(download, right) : sendWrongRange(response, right);
    case 'drip':
      return sendDrip(response, right, fault.bytesPerSecond);
    default:
      return assertNever(fault);
  }
}

function sendTruncated(download: Download, right: FileReply, fault: Extract<FaultRule, { kind: 'truncated' }>): void {
  const { response } = download;
  const content = right.content.subarray(0, Math.floor(right.content.length * fault.fraction));
  if (fault.lengthDeclared === 'short') return sendFile(download, { ...right, content, length: 'declared' });
  if (!fault.lengthDeclared) return sendFile(download, { ...right, content, length: 'chunked' });
  response.writeHead(200, { ...headersOf(right, true), 'Content-Length': right.content.length });
  response.write(content, () => response.socket?.destroySoon());
  return undefined;
}

function sendWrongRange(response: ServerResponse, right: FileReply): void {
  const { length } = right.content;
  const end = Math.max(1, length - 1);
  response.writeHead(206, {
    ...headersOf(right, true),
    'Content-Range': `bytes 0-${end - 1}/${length}`,
    'Content-Length': end,
  });
  response.end(right.content.subarray(0, end));
}

const DRIPS_PER_SECOND = 10;

function sendDrip(response: ServerResponse, right: FileReply, bytesPerSecond: number): void {
  response.writeHead(200, { ...headersOf(right, true), 'Content-Length': right.content.length });
  const perDrip = Math.max(1, Math.floor(bytesPerSecond / DRIPS_PER_SECOND));
  const pauseMs = (perDrip / bytesPerSecond) * 1000;
  let sent = 0;
  const drip = setInterval(() => {
    response.write(right.content.subarray(sent, sent + perDrip));
    sent += perDrip;
    if (sent < right.content.length) return;
    clearInterval(drip);
    response.end();
  }, pauseMs).unref();
  response.on('close', () => clearInterval(drip));
}
