import { profileSchema, type Profile } from './profile.ts';

/**
 * The profile of the built-in gateway at `baseUrl`: its status values are stated, and its limits let a night of 60
 * rows pass in less than a minute. Its answers come from this machine, which media never may otherwise; the rule
 * against private addresses exempts the profile's own gateway.
 */
export function rehearsalProfile(baseUrl: string): Profile {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' } as const;
  return profileSchema.parse({
    name: 'Rehearsal',
    baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: {
      requestsPerSecond: 100,
      activePerFamily: { musicgen: 16, 'videogen-a': 8, 'videogen-b': 8 },
      downloads: 8,
    },
    deadlines: { submitSeconds: 30, pollSeconds: 15, taskHours: 1 },
  });
}
