import { serveWorker, WorkerFault } from './worker.mjs';

function operands({ a, b }) {
  for (const value of [a, b])
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new WorkerFault('VALIDATION_ERROR', 'a and b must be numbers.', false);
  return { a, b };
}

/** Past this, programs read one number of JSON as several. */
const LARGEST = 2 ** 53;

function exact(result) {
  if (!(Math.abs(result) <= LARGEST)) throw new WorkerFault('VALIDATION_ERROR', 'The result is too large.', false);
  return { result };
}

serveWorker({
  '/run': (input) => {
    const { a, b } = operands(input);
    return exact(a + b);
  },
  '/run/divide': (input) => {
    const { a, b } = operands(input);
    if (b === 0) throw new WorkerFault('VALIDATION_ERROR', 'Division by zero.', false);
    return exact(a / b);
  },
});
