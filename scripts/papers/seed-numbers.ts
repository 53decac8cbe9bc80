/**
 * Every number of the five texts that docs/requirements.md answers, in the order in which the texts have them: sections, then what has a
 * name of its own. Seed 001 numbers nothing: a heading, and the place in its list.
 */
const NUMBERS = {
  '000': {
    sections: `
      1 1.1 1.2 1.3 2 2.1 2.2 3 3.1 3.2 3.2.1 3.2.2 3.2.3 3.2.4 3.2.5 3.2.6 3.2.7 3.2.8 3.2.9 4 4.1 4.2 4.3 4.4 5
      5.1 5.2 5.3 6 6.1 6.2 6.3 7 7.1 7.2 7.3 8 8.1 8.2 8.3 9 9.1 9.2 9.3 10 10.1 10.2 10.3 11 12 13`,
    named: `
      T-001, T-002, T-003, T-004, T-005, T-006, seed 000 RULE 1, seed 000 RULE 2, seed 000 RULE 3, seed 000 RULE 4,
      seed 000 RULE 5, seed 000 RULE 6, seed 000 RULE 7, seed 000 RULE 8, seed 000 RULE 9, seed 000 RULE 10, seed
      000 RULE 11`,
  },
  '001': {
    sections: '',
    named: `
      seed 001 Overview, seed 001 Example Execution Flow, seed 001 Related Specifications, seed 001 Execution Flow
      1, seed 001 Execution Flow 2, seed 001 Execution Flow 3, seed 001 Execution Flow 4, seed 001 Execution Flow 5,
      seed 001 Request, seed 001 Response, seed 001 Execution Status, seed 001 Error Types 1, seed 001 Error Types
      2, seed 001 Error Types 3, seed 001 Error Types 4, seed 001 Error Types 5, seed 001 Error Types 6, seed 001
      Error Types 7, seed 001 Error Response Format, seed 001 Resource Management 1, seed 001 Resource Management 2,
      seed 001 Resource Management 3, seed 001 Resource Management 4, seed 001 Resource Management 5, seed 001
      Security Considerations 1, seed 001 Security Considerations 2, seed 001 Security Considerations 3, seed 001
      Security Considerations 4, seed 001 Security Considerations 5, seed 001 Implementation Requirements 1, seed
      001 Implementation Requirements 2, seed 001 Implementation Requirements 3, seed 001 Implementation
      Requirements 4, seed 001 Implementation Requirements 5`,
  },
  '002': {
    sections: `
      0 0.1 0.2 0.3 0.4 1 1.1 1.2 1.3 1.4 1.5 2 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3 3.1 3.1.1 3.1.2 3.1.3 3.1.4 3.2 3.2.1
      3.3 3.3.1 3.3.2 3.4 3.4.1 3.4.2 3.4.3 3.4.4 3.4.5 3.4.6 3.5 3.5.1 3.5.2 3.5.3 3.5.4 3.5.5 3.6 3.6.1 3.6.2
      3.6.3 3.6.4 3.6.5 3.6.6 3.6.7 3.6.7a 3.6.8 3.6.9 3.6.10 3.6.11 3.7 3.7.1 3.7.2 3.7.3 3.7.4 3.8 3.8.1 3.8.2
      3.8.3 3.8.4 3.8.5 3.9 3.9.1 3.9.2 3.9.3 3.9.4 4 4.1 4.2 5 5.1 5.2 5.3 5.4 6 6.1 6.2 6.3 6.4 6.5 6.6 6.7 6.8
      6.9 7 7.1 7.2 8 8.1 8.2`,
    named: `
      A-01, A-02, A-03, C-01, C-02, C-03, C-04, C-05, CFG-APR-01, CFG-ENV-01, CFG-OUT-01, CFG-PATCH-01, CFG-READ-01,
      CFG-SBX-01, CFG-TMO-01, CFG-TMO-01a, CFG-TOOLS-01, CFG-TOOLS-02, CFG-TOOLS-02a, D-01, D-02, D-03, FR-APR,
      FR-APR-01, FR-APR-02, FR-APR-03, FR-APR-04, FR-APR-04a, FR-APR-04b, FR-APR-04c, FR-APR-04d, FR-APR-04e,
      FR-APR-05, FR-APR-06, FR-ERR-JSON-TOOL-01, FR-ERR-JSON-TOOL-02, FR-EXE, FR-EXE-01, FR-EXE-02, FR-EXE-03,
      FR-EXE-04, FR-EXE-04b, FR-EXE-04b-1, FR-EXE-04b-2, FR-EXE-04b-3, FR-EXE-05, FR-EXE-06, FR-LIM, FR-LIM-01,
      FR-LIM-02, FR-LIM-03, FR-LIM-04, FR-LIM-05, FR-LIM-06, FR-MODE, FR-MODE-01, FR-MODE-02, FR-MODE-03, FR-OUT,
      FR-OUT-01, FR-OUT-02, FR-OUT-03, FR-OUT-04, FR-OUT-04a, FR-REG, FR-REG-01, FR-REG-01a, FR-REG-02, FR-REG-03,
      FR-REG-03a, FR-REG-04, FR-REG-04a, FR-REG-04b, FR-REG-05, FR-RES, FR-RES-01, FR-RES-01a, FR-RES-02, FR-RES-03,
      FR-RES-04, FR-RES-04a, FR-RES-04b, FR-RES-04c, FR-RES-05, FR-TOOL-CMD-01, FR-TOOL-LIST-01, FR-TOOL-PATCH-01,
      FR-TOOL-PATCH-01a, FR-TOOL-PATCH-02, FR-TOOL-PATCH-02a, FR-TOOL-PATCH-02b, FR-TOOL-PATCH-02c,
      FR-TOOL-PATCH-02d, FR-TOOL-READ-01, FR-TOOL-READ-01a, FR-TOOL-READ-01b, FR-TUI-01, FR-TUI-02, FR-TUI-03,
      FR-TUI-04, FR-VAL, FR-VAL-01, FR-VAL-01a, FR-VAL-02, FR-VAL-02a, FR-VAL-03, FR-VAL-04, FR-VAL-04a, FR-VAL-05,
      FR-VAL-06, FR-VAL-07, IT-CMD-01, IT-E2E-01, IT-JRN-01, IT-JRN-02, NFR-ERR-01, NFR-ERR-02, NFR-MAIN,
      NFR-MAIN-01, NFR-MAIN-02, NFR-MAIN-03, NFR-PERF, NFR-PERF-01, NFR-PERF-02, NFR-PERF-03, NFR-PERF-04, NFR-REL,
      NFR-REL-01, NFR-REL-02, NFR-REL-03, NFR-REL-04, NFR-SEC, NFR-SEC-01, NFR-SEC-02, NFR-SEC-03, NFR-SEC-04,
      NFR-SEC-05, NFR-SEC-06, T-APR-01, T-APR-02, T-CAN-01, T-LIM-01, T-MODE-01, T-MODE-02, T-OUT-01, T-OUT-02,
      T-PATCH-01, T-READ-01, T-READ-02, T-SBX-01, T-SBX-02, T-SBX-03, T-TMO-01, T-VAL-01, T-VAL-02`,
  },
  '003': {
    sections: `
      1 2 2.1 2.2 2.3 2.4 2.5 3 3.1 3.2 4 4.1 4.2 4.3 5 5.1 6 6.1 6.2 7 7.1 7.2 7.3 8 9 10 11 12 13 14`,
    named: `
      seed 003 VII, seed 003 VIII`,
  },
  '004': {
    sections: `
      1 1.1 1.2 1.3 1.4 2 2.1 2.2 2.3 3 3.1 3.2 3.3 3.3.1 3.3.2 3.3.3 3.3.4 3.3.5 3.3.6 3.3.7 3.3.8 4 4.1 4.1.1
      4.1.2 4.1.3 4.1.4 4.2 4.2.1 4.2.2 4.2.3 4.2.4 4.2.5 4.3 4.3.1 4.3.2 4.3.3 4.3.4 4.3.5 4.3.6 4.3.7 4.4 5 5.1
      5.1.1 5.1.2 5.1.3 5.1.4 5.1.5 5.1.6 5.2 5.2.1 5.3 5.3.1 5.3.2 5.3.3`,
    named: `
      E3001, E3002, E3003, E3004, E3005, E3006, E3007, E3008, E3101, E3102, E3103, E3104, E3105, E3106, E3107,
      E3108, E3201, E3202, E3203, E3204, E3205, E3206, E3207, E3208, E3301, E3302, E3303, E3304, E3305, E3306,
      E3307, E3308, E3401, E3402, E3403, E3404, E3405, E3501, E3502, E3503, E3504, E3505, E3506, E3507, E3508,
      E3601, E3602, E3603, E3604, E3605, E3606, E3607, E3608, E3701, E3702, E3703, E3704, E3705, E3706, E3707,
      E3708, G-001, G-002, G-003, G-004, G-005, G-006, G-007, G-008, G-009, G-010, G-011, G-012, G-013, G-014,
      G-015, G-016, G-017, G-018, G-019, G-020, G-021, G-022, seed 004 ADR-001, seed 004 ADR-002, seed 004 BC-1,
      seed 004 BC-2`,
  },
} as const;

const words = (text: string, apart: RegExp): readonly string[] => text.trim().split(apart).filter(Boolean);

export const seedNumbers: readonly string[] = Object.entries(NUMBERS).flatMap(([seed, { sections, named }]) => [
  ...words(sections, /\s+/u).map((section) => `seed ${seed} §${section}`),
  ...words(named, /,\s+/u).map((name) => name.replaceAll(/\s+/gu, ' ')),
]);
