import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAYERS } from '#contract/vocabulary/rules.js';
import { makeAsker } from '../call/asker.js';
import { authorize, strictestVerdict, type Verdict } from './authorize.js';
import type { JudgedTool } from './judged-tool.js';
import type { Opinion, RulesInForce } from './policy-rules.js';
import {
  agent,
  arbitraryAsker,
  arbitraryCall,
  arbitraryRules,
  inForce,
  names,
  policy,
  runs,
  undoes,
  whole,
  STRICTNESS,
  withApproval,
  withTools,
} from './authorize.test-support.js';

const opinion: fc.Arbitrary<Opinion> = fc.oneof(
  fc.record({
    kind: fc.constant('deny' as const),
    layer: fc.constantFrom(...LAYERS),
    id: fc.constant('settings.denylist' as const),
    failure: fc.constant({ code: 'Denylisted' as const, message: 'No.' }),
    unlisted: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('ask' as const),
    layer: fc.constantFrom(...LAYERS),
    id: fc.constant('tool.wish' as const),
    words: fc.constant('May it?'),
    answeredBy: fc.constantFrom('confirmation', 'person', 'nobody'),
  }),
  fc.record({
    kind: fc.constant('run' as const),
    layer: fc.constantFrom(...LAYERS),
    id: fc.constant('settings.auto' as const),
    words: fc.constant('It may.'),
  }),
);

describe('layers only narrow', () => {
  it('whatever one more rule says, and wherever it stands, nothing becomes looser', () => {
    fc.assert(
      fc.property(
        fc.array(opinion),
        opinion,
        fc.nat(),
        arbitraryAsker,
        arbitraryRules,
        (said, more, at, asker, rules) => {
          const place = at % (said.length + 1);
          const before = strictestVerdict(said, asker, rules);
          const after = strictestVerdict(said.toSpliced(place, 0, more), asker, rules);
          expect(STRICTNESS[after.kind]).toBeGreaterThanOrEqual(STRICTNESS[before.kind]);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each<[string, (rules: RulesInForce) => RulesInForce]>([
    ['no workspace', (rules) => ({ ...rules, place: 'no-workspace' })],
    ['a revoked token', (rules) => ({ ...rules, revoked: true })],
    ['a tool on the denylist', (rules) => withApproval(rules, { denylist: names })],
    ['approval off', (rules) => withApproval(rules, { enabled: false })],
    ['tools off', (rules) => ({ ...rules, config: withTools(rules.config, { mode: 'disabled' }) })],
    [
      'one more rule for an agent',
      ({ config, ...rules }) => ({
        ...rules,
        config: {
          ...config,
          gateway: { ...config.gateway, clients: [...config.gateway.clients, { name: 'other', access: 'ask' }] },
        },
      }),
    ],
  ])('%s', (_, narrowed) => {
    fc.assert(
      fc.property(arbitraryAsker, arbitraryCall, arbitraryRules, (asker, call, rules) => {
        const before = authorize(asker, call, rules);
        const after = authorize(asker, call, narrowed(rules));
        expect(STRICTNESS[after.kind]).toBeGreaterThanOrEqual(STRICTNESS[before.kind]);
      }),
      { numRuns: 500 },
    );
  });

  it('a yes answers what asks, and turns no denial', () => {
    fc.assert(
      fc.property(arbitraryAsker, arbitraryCall, arbitraryRules, (asker, call, rules) => {
        const none = authorize(asker, call, { ...rules, approved: false, confirmation: null });
        const yes = authorize(asker, call, { ...rules, approved: true });
        const rule = authorize(asker, call, {
          ...rules,
          approved: false,
          confirmation: { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.', foreign: false },
        });
        if (none.id === 'settings.sandbox' || none.id === 'settings.collect') {
          // One who said yes to the call itself, or to its like, said more than the mode does.
          expect(yes).toMatchObject({ kind: none.kind === 'ask' && none.for === 'result' ? 'ask' : 'run' });
          if (none.kind === 'run') expect([yes.id, rule.id]).toEqual(['person.decision', 'confirmation:1']);
        } else if (none.kind !== 'ask') {
          expect(yes).toEqual(none);
          expect(rule).toEqual(none);
        } else {
          expect(yes.kind).toBe(none.for === 'decision' ? 'run' : 'ask');
          if (!none.confirmable) expect(rule).toEqual(none);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('a confirmation lets nothing run that the tool itself wants asked, or of an agent that is to be asked about', () => {
    const confirmation = { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.', foreign: false } as const;
    const rules = inForce(policy({ denylist: [] }), { confirmation });
    expect(authorize(agent, whole(runs), rules)).toMatchObject({ kind: 'run', id: 'confirmation:1' });
    expect(authorize(agent, whole(runs, 'A control file.'), rules)).toMatchObject({ kind: 'ask', id: 'tool.wish' });
    const careful = { ...rules.config.gateway, clients: [{ name: 'some', access: 'ask' as const }] };
    const asked = { ...rules, config: { ...rules.config, gateway: careful } };
    expect(authorize(agent, whole(runs), asked)).toMatchObject({
      kind: 'ask',
      id: 'agent.ask',
      words: 'You review every call from some 1.',
    });
  });

  it('the person’s own act is bound by no rule for those who ask, and by what there is to work on', () => {
    const person = makeAsker('window', 's');
    fc.assert(
      fc.property(arbitraryCall, arbitraryRules, (call, rules) => {
        const own = authorize(person, call, { ...rules, revoked: false });
        const isSomewhere = rules.place === 'open';
        const isKnown = call.seen === 'nothing' || call.tool !== null;
        expect(own.kind).toBe(isSomewhere && isKnown ? 'run' : 'deny');
        if (own.kind === 'run') expect(own.id).toBe('person.act');
      }),
    );
  });

  it('what is not for a door is told from what there is not by nothing', () => {
    const other = (tool: JudgedTool | null): Verdict =>
      authorize(agent, { seen: 'name', name: 'undo_changes', tool, defined: null }, inForce(policy({ denylist: [] })));
    expect(other(undoes)).toEqual(other(null));
    expect(other(undoes)).toMatchObject({ kind: 'deny', failure: { code: 'UnknownTool' } });
  });
});
