import { expect, test } from 'vitest';
import {
  freshDraft,
  GATEWAY_FORMS,
  ProfileDrafts,
  undoneChanges,
  withKept,
} from '../../../src/renderer/state/profile-draft.ts';

const FIRST = 'https://first.example/api';
const SECOND = 'https://second.example/api';

function profileText(profile: object): string {
  return JSON.stringify({ name: 'Mine', ...profile }, null, 2);
}

test('a profile in which nothing is typed follows what is saved elsewhere', () => {
  const draft = withKept(freshDraft(profileText({ baseUrl: FIRST })), profileText({ baseUrl: SECOND }));
  expect(draft.text).toBe(profileText({ baseUrl: SECOND }));
  expect(undoneChanges(draft)).toEqual([]);
});

test('what is typed stays, and an address that it would put back is told', () => {
  const began = freshDraft(profileText({ baseUrl: FIRST }));
  const typed = { ...began, text: profileText({ baseUrl: FIRST, name: 'Other' }) };
  expect(undoneChanges(typed)).toEqual([]);
  const draft = withKept(typed, profileText({ baseUrl: SECOND }));
  expect(draft.text).toBe(typed.text);
  expect(undoneChanges(draft)).toMatchObject([{ path: 'baseUrl', before: SECOND, after: FIRST }]);
  // The name is the draft's own change; an address that is corrected in it undoes nothing.
  expect(undoneChanges({ ...draft, text: profileText({ baseUrl: SECOND, name: 'Other' }) })).toEqual([]);
  // What cannot be read yet cannot be saved either.
  expect(undoneChanges({ ...draft, text: '{' })).toEqual([]);
});

test('what is typed while a profile is being saved stays, also under its new name', () => {
  const drafts = new ProfileDrafts();
  const sent = '{"name":"a","x":1}';
  drafts.set('a', { text: '{"name":"a","x":12}', kept: '{}', base: '{}' });
  drafts.saved('a', 'a', sent, sent);
  expect(drafts.store.getState()['a']).toMatchObject({ text: '{"name":"a","x":12}', kept: sent });
  drafts.set('a', freshDraft(sent));
  drafts.saved('a', 'b', sent, '{"name":"b","x":1}');
  expect(drafts.store.getState()).toEqual({ b: freshDraft('{"name":"b","x":1}') });
});

test('what is typed into the forms of a gateway follows it to its new name, and goes with it', () => {
  const drafts = new ProfileDrafts();
  const { texts, secrets } = drafts.forms;
  texts.setState({ [GATEWAY_FORMS.prices('a')]: { 'an/operation': '1 EUR' }, spending: { 'night cost': '2 EUR' } });
  secrets.setState({ [GATEWAY_FORMS.connection('a')]: { newKey: 'sk-1' } });
  drafts.rename('a', 'b');
  expect(texts.getState()[GATEWAY_FORMS.prices('b')]).toEqual({ 'an/operation': '1 EUR' });
  expect(secrets.getState()).toEqual({ [GATEWAY_FORMS.connection('b')]: { newKey: 'sk-1' } });
  drafts.forget('b');
  expect(texts.getState()).toEqual({ spending: { 'night cost': '2 EUR' } });
  expect(secrets.getState()).toEqual({});
});
