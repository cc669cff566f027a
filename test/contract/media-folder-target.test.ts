import { describe } from 'vitest';
import { setUpMediaRig } from '../support/media-rig.ts';
import { describeTarget } from './media-folder-target.suite.ts';

describe('a folder', () => {
  describeTarget(setUpMediaRig());
});
