/**
 * Before any schema is made: the page's policy forbids code made of text, and schemas would try it once to see.
 * Import this first.
 */
import { config } from 'zod';

config({ jitless: true });
