/** Takes, failures, pauses, forecasts and schedules. */
export const nightsWords = {};
export type NightsWords = typeof nightsWords;
