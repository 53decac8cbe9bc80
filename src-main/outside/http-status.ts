import { request } from 'node:http';

/** The status of what a URL answers. Rejects, in words, where nothing answers in time. */
export function httpStatus(
  url: string,
  headers: Readonly<Record<string, string>>,
  withinMs: number,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, timeout: withinMs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once('timeout', () => asked.destroy(new Error(`no answer within ${withinMs / 1000} seconds`)));
    asked.once('error', reject);
    asked.end();
  });
}
