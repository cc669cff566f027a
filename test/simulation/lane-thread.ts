/** The thread of a lane: runs its nights, reports their results, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { passNights, type Lane } from './lanes.ts';

const passed = await passNights(workerData as Lane);
parentPort?.postMessage(passed, []);
