import type { SourceAnswer, SourceInvocation } from '../../../../domain/ports/sources/source.js';
import { NOT_KEPT_WORDS } from '../source-answer.js';
import type { CallInFlight } from './asking.js';

/** Adds what a model was asked for a call to its answer: all of it as stored output, and that it was, as a warning. */
export async function addSampledRecords(
  answer: SourceAnswer,
  sampled: CallInFlight['sampled'],
  keep: SourceInvocation['keep'],
): Promise<SourceAnswer> {
  if (sampled.length === 0) return answer;
  const stored = [...answer.storedOutputs];
  const warnings = [...answer.warnings];
  for (const { model, record } of sampled) {
    const output = await keep(Buffer.from(record), 'text/plain');
    if (output !== null) stored.push(output);
    const where = output === null ? NOT_KEPT_WORDS : `stored output ${stored.length}`;
    warnings.push(`It asked the model ${model}, and was given its answer: ${where}.`);
  }
  return { ...answer, storedOutputs: stored, warnings };
}
