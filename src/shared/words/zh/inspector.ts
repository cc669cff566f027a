import type { InspectorWords } from '../en/inspector.ts';

export const inspectorZh: InspectorWords = {};
