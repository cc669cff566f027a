/**
 * Which row each charge is for, judged by what was asked for; if a row refers to others, by what the gateway gave for
 * those. Worked out from the gateway's own knowledge, without the code that it judges.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Charge } from '../../src/gateway-sim/charge-log.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import type { Json, JsonObject } from '../../src/shared/domain/base/json.ts';
import type { LinkedText, Reference } from '../../src/shared/domain/cells/reference.ts';
import { rowsReferredTo } from '../../src/shared/domain/cells/reference.ts';
import { assertNever } from '../../src/shared/domain/base/result.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';

/** Task codes with the rows that were charged for, in the order of the charges; foreign charges are not among them. */
export function ownersOf(gateway: ObservedGateway, rows: readonly Row[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const charge of gateway.chargeLog()) {
    const owner = rows.find((row) => isFor(gateway, charge, row, owners));
    if (owner !== undefined) owners.set(charge.taskCode, owner.id);
  }
  return owners;
}

/** Charges for rows whose sources the gateway had not yet finished, each as a sentence. */
export function earlyCharges(
  gateway: ObservedGateway,
  rows: readonly Row[],
  owners: ReadonlyMap<string, string>,
): readonly string[] {
  return gateway.chargeLog().flatMap((charge) => {
    const row = rows.find(({ id }) => id === owners.get(charge.taskCode));
    const unfinished = rowsReferredTo(row?.links).filter((source) =>
      codesOf(source, owners).every((code) => (gateway.finishesAt(code) ?? Number.POSITIVE_INFINITY) > charge.at),
    );
    return unfinished.map((source) => `${row?.id} was charged before ${source} was finished`);
  });
}

function isFor(gateway: ObservedGateway, charge: Charge, row: Row, owners: ReadonlyMap<string, string>): boolean {
  if (charge.operation !== row.operation) return false;
  const sources = rowsReferredTo(row.links).map((source) => codesOf(source, owners)[0]);
  if (sources.includes(undefined)) return false;
  return isDeepStrictEqual(charge.body, bodyOf(gateway, row, owners));
}

function codesOf(rowId: string, owners: ReadonlyMap<string, string>): readonly string[] {
  return [...owners].filter(([, owner]) => owner === rowId).map(([taskCode]) => taskCode);
}

/** The body that a row has to be sent with. */
function bodyOf(gateway: ObservedGateway, { body, links = [] }: Row, owners: ReadonlyMap<string, string>): JsonObject {
  const text = (parts: LinkedText): string =>
    parts.map((part) => (typeof part === 'string' ? part : valueOf(gateway, part, owners))).join('');
  const fields = links.map(({ column, value }): [string, Json] => [
    column,
    value.kind === 'text' ? text(value.text) : value.items.map(text),
  ]);
  return { ...body, ...Object.fromEntries(fields) };
}

function valueOf(gateway: ObservedGateway, { row, path }: Reference, owners: ReadonlyMap<string, string>): string {
  const [code = ''] = codesOf(row, owners);
  switch (path.kind) {
    case 'task-code':
      return code;
    case 'output-url':
      return gateway.outputs(code)[path.index - 1]?.url ?? '';
    case 'picture':
      throw new Error('No sheet of the campaign has pictures made.');
    case 'result':
      return textOf(gateway.dataResult(code)?.[path.path[0] ?? '']);
    default:
      return assertNever(path);
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
