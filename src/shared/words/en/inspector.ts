/** What is shown beside the grid of one row. */
export const inspectorWords = {};
export type InspectorWords = typeof inspectorWords;
