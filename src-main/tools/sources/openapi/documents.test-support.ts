import {
  text,
  whole,
  ok,
  none,
  doc,
  json,
  path,
  query,
  header,
  type SampleDocument,
} from './document-parts.test-support.js';

/** Made for these tests after what public documents of such services have in them; none of it is theirs. */
export const DOCUMENTS: readonly SampleDocument[] = [
  {
    name: 'pets: references, arrays in the query, a body that is spread',
    document: doc(
      {
        '/pets': {
          get: {
            operationId: 'findPets',
            parameters: [query('tags', { type: 'array', items: text }), query('limit', whole)],
            responses: ok,
          },
          post: { operationId: 'addPet', requestBody: json({ $ref: '#/components/schemas/NewPet' }), responses: ok },
        },
        '/pets/{id}': {
          get: { operationId: 'find pet by id', parameters: [path('id', { schema: whole })], responses: ok },
          delete: { operationId: 'deletePet', parameters: [path('id'), header('api_key')], responses: none },
        },
      },
      {
        components: {
          schemas: {
            NewPet: {
              type: 'object',
              required: ['name'],
              properties: { name: text, tag: text, id: { ...whole, readOnly: true } },
            },
          },
        },
      },
    ),
    offered: ['findPets', 'addPet', 'find_pet_by_id', 'deletePet'],
    refused: [],
    cases: [
      {
        operation: 'findPets',
        args: { tags: ['a b', 'c&d'], limit: 5 },
        line: 'GET /v1/pets?tags=a%20b&tags=c%26d&limit=5',
      },
      {
        operation: 'addPet',
        args: { name: 'Rex', tag: 'dog' },
        line: 'POST /v1/pets',
        body: '{"name":"Rex","tag":"dog"}',
      },
      { operation: 'find_pet_by_id', args: { id: 7 }, line: 'GET /v1/pets/7' },
      {
        operation: 'deletePet',
        args: { id: 'a/b?c#d', api_key: 'k' },
        line: 'DELETE /v1/pets/a%2Fb%3Fc%23d',
        headers: { api_key: 'k' },
      },
    ],
  },
  {
    name: 'payments: forms, objects in brackets',
    document: doc({
      '/charges': {
        get: {
          operationId: 'ListCharges',
          parameters: [
            query('created', { type: 'object', properties: { gte: whole } }, { style: 'deepObject', explode: true }),
            query('expand', { type: 'array', items: text }, { style: 'deepObject', explode: true }),
          ],
          responses: ok,
        },
        post: {
          operationId: 'CreateCharge',
          requestBody: {
            required: true,
            content: {
              'application/x-www-form-urlencoded': {
                schema: {
                  type: 'object',
                  required: ['amount'],
                  properties: { amount: whole, metadata: { type: 'object' }, items: { type: 'array', items: text } },
                },
                encoding: { metadata: { style: 'deepObject', explode: true } },
              },
            },
          },
          responses: ok,
        },
      },
    }),
    offered: ['ListCharges', 'CreateCharge'],
    refused: [],
    cases: [
      {
        operation: 'ListCharges',
        args: { created: { gte: 5, lt: 9 } },
        line: 'GET /v1/charges?created%5Bgte%5D=5&created%5Blt%5D=9',
      },
      {
        operation: 'CreateCharge',
        args: { amount: 100, metadata: { order: 'a b', nested: { x: 1 } }, items: ['p', 'q'] },
        line: 'POST /v1/charges',
        body: 'amount=100&metadata%5Border%5D=a+b&metadata%5Bnested%5D%5Bx%5D=1&items=p&items=q',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
  },
  {
    name: 'code: parameters of the path item, one said anew, and what a model may not set',
    document: doc({
      '/repos/{owner}/{repo}/issues': {
        parameters: [path('owner'), path('repo'), query('page', text)],
        get: {
          operationId: 'issues/list-for-repo',
          deprecated: true,
          parameters: [
            query('page', whole),
            header('Accept'),
            header('Authorization'),
            header('Host'),
            header('X-Trace'),
          ],
          responses: ok,
        },
        post: {
          operationId: 'issues/create',
          requestBody: json({ type: 'object', properties: { title: { oneOf: [text, whole] }, body: text } }),
          responses: ok,
        },
      },
    }),
    offered: ['issues_list-for-repo', 'issues_create'],
    refused: [],
    cases: [
      {
        operation: 'issues_list-for-repo',
        args: { owner: 'o', repo: 'r', page: 2, 'X-Trace': 't1' },
        line: 'GET /v1/repos/o/r/issues?page=2',
        headers: { 'x-trace': 't1' },
      },
      {
        operation: 'issues_create',
        args: { owner: 'o', repo: 'r', title: 7, body: 'text' },
        line: 'POST /v1/repos/o/r/issues',
        body: '{"title":7,"body":"text"}',
      },
    ],
  },
  {
    name: 'chat: one name for three operations',
    document: doc({
      '/chat.post': {
        post: { operationId: 'send', requestBody: json({ type: 'object', properties: { text } }), responses: ok },
      },
      '/chat.update': { post: { operationId: 'send', responses: ok } },
      '/chat.delete': { post: { operationId: 'send_2', responses: ok } },
      '/chat.again': { post: { operationId: 'send', responses: ok } },
    }),
    offered: ['send', 'send_3', 'send_2', 'send_4'],
    refused: [],
    cases: [
      { operation: 'send', args: { text: 'hi' }, line: 'POST /v1/chat.post', body: '{"text":"hi"}' },
      { operation: 'send_3', args: {}, line: 'POST /v1/chat.update', body: '' },
      { operation: 'send_2', args: {}, line: 'POST /v1/chat.delete' },
    ],
  },
  {
    name: 'notes: without names, and a body that clashes',
    document: doc({
      '/notes/{id}/tags': {
        get: { parameters: [path('id')], responses: ok },
        put: {
          parameters: [path('id')],
          requestBody: json({ type: 'object', properties: { id: text, tag: text } }),
          responses: ok,
        },
        post: {
          parameters: [path('id'), query('body', text)],
          requestBody: json({ type: 'array', items: text }),
          responses: ok,
        },
      },
    }),
    offered: ['get__notes__id__tags', 'put__notes__id__tags', 'post__notes__id__tags'],
    refused: [],
    cases: [
      { operation: 'get__notes__id__tags', args: { id: 'n' }, line: 'GET /v1/notes/n/tags' },
      {
        operation: 'put__notes__id__tags',
        args: { id: 'n', body: { id: 'other', tag: 't' } },
        line: 'PUT /v1/notes/n/tags',
        body: '{"id":"other","tag":"t"}',
      },
      {
        operation: 'post__notes__id__tags',
        args: { id: 'n', body: 'q', body_2: ['x'] },
        line: 'POST /v1/notes/n/tags?body=q',
        body: '["x"]',
      },
    ],
  },
  {
    name: 'maps: styles of lists in a query, and a query in the path',
    document: doc({
      '/geocode?version=2': {
        get: {
          operationId: 'geocode',
          parameters: [
            query('pipes', { type: 'array' }, { style: 'pipeDelimited', explode: false }),
            query('spaces', { type: 'array' }, { style: 'spaceDelimited', explode: false }),
            query('commas', { type: 'array' }, { explode: false }),
            query('point', { type: 'object' }, { explode: false }),
            query('spread', { type: 'object' }),
            query('url', text, { allowReserved: true }),
          ],
          responses: ok,
        },
      },
    }),
    offered: ['geocode'],
    refused: [],
    cases: [
      {
        operation: 'geocode',
        args: {
          pipes: ['a|b', 'c'],
          spaces: ['a', 'b c'],
          commas: ['a,b', 'c'],
          point: { x: 1, y: 'z' },
          spread: { lat: 1.5, lng: null },
          url: 'https://e.example/a?b=c&d#e',
        },
        line: 'GET /v1/geocode?version=2&pipes=a%7Cb%7Cc&spaces=a%20b%20c&commas=a%2Cb,c&point=x,1,y,z&lat=1.5&url=https://e.example/a?b%3Dc%26d%23e',
      },
      {
        operation: 'geocode',
        args: { pipes: [], point: {}, spread: {} },
        line: 'GET /v1/geocode?version=2',
      },
    ],
  },
  {
    name: 'colours: styles of a path',
    document: doc({
      '/simple/{a}': {
        get: { operationId: 'simple', parameters: [path('a', { schema: {}, explode: false })], responses: ok },
      },
      '/spread/{a}': {
        get: { operationId: 'spread', parameters: [path('a', { schema: {}, explode: true })], responses: ok },
      },
      '/label/{a}': {
        get: { operationId: 'label', parameters: [path('a', { schema: {}, style: 'label' })], responses: ok },
      },
      '/labels/{a}': {
        get: {
          operationId: 'labels',
          parameters: [path('a', { schema: {}, style: 'label', explode: true })],
          responses: ok,
        },
      },
      '/matrix/{a}': {
        get: { operationId: 'matrix', parameters: [path('a', { schema: {}, style: 'matrix' })], responses: ok },
      },
      '/matrices/{a}': {
        get: {
          operationId: 'matrices',
          parameters: [path('a', { schema: {}, style: 'matrix', explode: true })],
          responses: ok,
        },
      },
      '/form/{a}': { get: { operationId: 'form', parameters: [path('a', { style: 'form' })], responses: ok } },
    }),
    offered: ['simple', 'spread', 'label', 'labels', 'matrix', 'matrices'],
    refused: [['form', 'style']],
    cases: [
      { operation: 'simple', args: { a: ['b', 'c,d'] }, line: 'GET /v1/simple/b,c%2Cd' },
      { operation: 'simple', args: { a: { R: 1, G: 2 } }, line: 'GET /v1/simple/R,1,G,2' },
      { operation: 'spread', args: { a: { R: 1, G: 2 } }, line: 'GET /v1/spread/R=1,G=2' },
      { operation: 'label', args: { a: 'blue' }, line: 'GET /v1/label/.blue' },
      { operation: 'label', args: { a: ['b', 'c'] }, line: 'GET /v1/label/.b,c' },
      { operation: 'labels', args: { a: { R: 1, G: 2 } }, line: 'GET /v1/labels/.R=1.G=2' },
      { operation: 'matrix', args: { a: ['b', 'c'] }, line: 'GET /v1/matrix/;a=b,c' },
      { operation: 'matrix', args: { a: { R: 1 } }, line: 'GET /v1/matrix/;a=R,1' },
      { operation: 'matrices', args: { a: ['b', 'c'] }, line: 'GET /v1/matrices/;a=b;a=c' },
      { operation: 'matrices', args: { a: { R: 1, G: 2 } }, line: 'GET /v1/matrices/;R=1;G=2' },
    ],
  },
  {
    name: 'calendar: 3.1, types in lists, words beside references',
    document: doc(
      {
        '/events': {
          post: {
            operationId: 'createEvent',
            requestBody: json({
              type: 'object',
              required: ['start'],
              properties: {
                start: { $ref: '#/components/schemas/When', description: 'When it begins.' },
                note: { type: ['string', 'null'] },
                kind: { const: 'event' },
              },
              unevaluatedProperties: false,
            }),
            responses: ok,
          },
        },
      },
      { components: { schemas: { When: { type: 'string', examples: ['2026-01-01'] } } } },
      '3.1.0',
    ),
    offered: ['createEvent'],
    refused: [],
    cases: [
      {
        operation: 'createEvent',
        args: { start: '2026-01-01', note: null, kind: 'event' },
        line: 'POST /v1/events',
        body: '{"start":"2026-01-01","note":null,"kind":"event"}',
      },
    ],
  },
  {
    name: 'tree: what refers to itself',
    document: doc(
      {
        '/nodes': {
          post: { operationId: 'addNode', requestBody: json({ $ref: '#/components/schemas/Node' }), responses: ok },
          get: { operationId: 'nodes', parameters: [{ $ref: '#/components/parameters/loop' }], responses: ok },
        },
      },
      {
        components: {
          parameters: { loop: { $ref: '#/components/parameters/loop' } },
          schemas: {
            Node: {
              type: 'object',
              properties: {
                name: text,
                next: { $ref: '#/components/schemas/Node' },
                others: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
              },
            },
          },
        },
      },
    ),
    offered: ['addNode'],
    refused: [['nodes', 'nowhere']],
    cases: [
      {
        operation: 'addNode',
        args: { name: 'a', next: { name: 'b', next: { name: 'c' } } },
        line: 'POST /v1/nodes',
        body: '{"name":"a","next":{"name":"b","next":{"name":"c"}}}',
      },
    ],
  },
];
