import { readPackage } from '../../platform/packages/package-files.js';
import type { PackageText } from './domain-gate.test-support.js';

/** A package that comes along, file by file. */
export function sampleFiles(name: 'calculator' | 'firecrawl'): PackageText {
  const read = readPackage(`resources/domains/${name}`);
  if (!read.ok) throw new Error(read.problem);
  return Object.fromEntries([...read.read.files].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()]));
}
