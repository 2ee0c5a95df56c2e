import fc from 'fast-check'

/**
 * Every run of the property tests draws new cases, unless `TIDEGATE_TEST_SEED` names the seed: then two runs of one commit
 * see the same ones.
 */
const seed = process.env['TIDEGATE_TEST_SEED']
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
