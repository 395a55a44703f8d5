/**
 * The routes for single objects, lists, counts, and queries. Bodies are wrapped in their model's
 * name.
 */
import { z } from 'zod';
import type { Api, Call } from './api.ts';
import { ApiProblem, invalidRequest } from './api-problem.ts';
import { type Sort, toColumn } from './conditions.ts';
import type { Model } from './data-model.ts';
import { parseExpression } from './expression.ts';
import { isForm, typedForm } from './form.ts';
import { isRecord } from './json.ts';
import { reEnroll } from './legacy-enrollment.ts';
import { maxPageSize, readFilter, readListQuery, type Selection } from './list-query.ts';
import { viewObjects } from './object-view.ts';
import { countObjects, getObject, listObjects, type Page } from './objects.store.ts';
import type { Operation } from './operations.ts';
import { write } from './write-path.ts';

export function registerObjectRoutes(api: Api): void {
  api.on('GET', 'objects/:modelFile', async (call) => {
    const selection = readListQuery(call.model(), call.query);
    return viewPage(call, await listObjects(call.deployment, call.model().name, selection));
  });
  api.on('GET', 'objects/:model/count.json', async (call) => {
    const where = readFilter(call.model(), call.query);
    return { count: await countObjects(call.deployment, call.model().name, where) };
  });
  api.on('POST', 'objects/:model/query.json', async (call) => {
    const selection = readQuery(call.model(), call.body);
    return viewPage(call, await listObjects(call.deployment, call.model().name, selection));
  });
  api.on('GET', 'objects/:model/:idFile', async (call) => {
    const object = await getObject(call.deployment, call.model().name, call.parameter('id'));
    const [view] = await viewObjects(call.deployment, [object], { url: call.url, withEnrollment: true });
    return view;
  });
  api.on('POST', 'objects/:modelFile', (call) => {
    call.reply.code(201);
    return writeOne(call, 'post', readFields(call));
  });
  api.on('PUT', 'objects/:model/:idFile', (call) =>
    writeOne(call, 'put', { ...readFields(call), id: call.parameter('id') }),
  );
  api.on('PATCH', 'objects/:model/:idFile', (call) =>
    writeOne(call, 'patch', { ...readFields(call), id: call.parameter('id') }),
  );
  api.on('DELETE', 'objects/:model/:idFile', (call) => writeOne(call, 'delete', { id: call.parameter('id') }));
  api.on('POST', 'objects/:model/:id/re_enroll.json', async (call) => {
    const { appUser } = call.deployment.dataModel();
    if (call.deployment.isMultiDevice() || call.model().name !== appUser)
      throw new ApiProblem('ROUTE_ERROR', 'Only users of an app with one device per user can be enrolled this way.');
    await reEnroll(call.deployment, call.parameter('id'));
    return { success: true };
  });
}

async function writeOne(call: Call, method: Operation['method'], fields: Readonly<Record<string, unknown>>) {
  const { id, ...values } = fields;
  const object = { ...values, type: call.model().name, ...(typeof id === 'string' ? { id } : {}) };
  const [outcome] = await write(call.deployment, [{ method, object }], { origin: 'api' });
  if (outcome?.success === false) throw outcome.problem;
  const [view] = await viewObjects(call.deployment, outcome?.object ? [outcome.object] : [], { url: call.url });
  return view ?? {};
}

function readFields({ model, body }: Call): Readonly<Record<string, unknown>> {
  const { name } = model();
  const fields = isRecord(body) ? body[name] : undefined;
  if (!isRecord(fields)) throw invalidRequest(`The body must hold the object's fields under '${name}'.`);
  return isForm(body) ? typedForm(model(), fields) : fields;
}

async function viewPage(call: Call, page: Page) {
  const { objects, total, more } = call.fault?.mode === 'empty-list' ? { ...page, objects: [], more: false } : page;
  const views = await viewObjects(call.deployment, objects, { url: call.url, withEnrollment: true });
  return { objects: views, count: views.length, ...(total === undefined ? {} : { total }), more };
}

const Query = z.looseObject({
  expression: z.string().nullish(),
  arguments: z.array(z.unknown()).nullish(),
  limit: z.int().min(0).nullish(),
  skip: z.int().min(0).nullish(),
  sort: z.union([z.array(z.string()), z.string()]).nullish(),
  total: z.boolean().nullish(),
});

function readQuery(model: Model, body: unknown): Selection {
  const { success, data, error } = Query.safeParse(body);
  if (!success) throw invalidRequest(`The query: ${z.prettifyError(error)}`);
  const sort = typeof data.sort === 'string' ? [data.sort] : (data.sort ?? []);
  return {
    where: parseExpression(model, data.expression ?? '', data.arguments ?? []),
    sort: sort.filter((name) => name !== '').map((name) => readSort(model, name)),
    limit: Math.min(data.limit ?? maxPageSize, maxPageSize),
    skip: data.skip ?? 0,
    withTotal: data.total ?? false,
  };
}

/** `-name` sorts in descending order. */
function readSort(model: Model, text: string): Sort {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  return { column: name === '$natural' ? '$natural' : toColumn(model, name), descending };
}
