/* Heat in a plate: elements are assembled into a sparse matrix, which is solved by conjugate gradients. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 220

#define ARRAY(type) struct { type *at; size_t count, room; }
#define ARRAY_ADD(a, value) \
	do { \
		if ((a)->count == (a)->room) { \
			(a)->room = (a)->room ? 2 * (a)->room : 64; \
			(a)->at = realloc((a)->at, (a)->room * sizeof *(a)->at); \
			if (!(a)->at) abort(); \
		} \
		(a)->at[(a)->count++] = (value); \
	} while (0)

typedef struct { int row, col; double value; } triplet;
typedef ARRAY(triplet) triplets;
typedef struct { int n, *start, *col; double *value; } csr;

static double *vec(size_t n) { double *v = calloc(n, sizeof *v); if (!v) abort(); return v; }

static void stiffness(double h, double k[4][4])
{
	static const double unit[4][4] = {{4, -1, -2, -1}, {-1, 4, -1, -2}, {-2, -1, 4, -1}, {-1, -2, -1, 4}};
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			k[i][j] = unit[i][j] / 6 * (1 + h);
}

static void assemble(triplets *all, int ex, int ey)
{
	int node[4] = {ey * N + ex, ey * N + ex + 1, (ey + 1) * N + ex + 1, (ey + 1) * N + ex};
	double k[4][4];
	stiffness(0.01 * (ex % 7), k);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			ARRAY_ADD(all, ((triplet){node[i], node[j], k[i][j]})); /* guilty */
}

static csr compress(triplets *t, int n)
{
	csr m = {n, calloc((size_t)n + 1, sizeof(int)), NULL, NULL};
	int *used = calloc((size_t)n, sizeof *used);
	m.col = malloc((size_t)n * 10 * sizeof *m.col);
	m.value = vec((size_t)n * 10);
	if (!m.start || !m.col || !used) abort();
	for (size_t i = 0; i < t->count; i++) {
		int row = t->at[i].row, k = row * 10;
		while (k < row * 10 + used[row] && m.col[k] != t->at[i].col) k++;
		if (k == row * 10 + used[row]) used[row]++;
		m.col[k] = t->at[i].col;
		m.value[k] += t->at[i].value;
	}
	int out = 0;
	for (int row = 0; row < n; row++) {
		for (int k = row * 10; k < row * 10 + used[row]; k++, out++) m.col[out] = m.col[k], m.value[out] = m.value[k];
		m.start[row + 1] = out;
	}
	free(used);
	return m;
}

static void multiply(const csr *m, const double *x, double *y)
{
	for (int i = 0; i < m->n; i++) {
		double sum = x[i] * 0.05;
		for (int k = m->start[i]; k < m->start[i + 1]; k++)
			sum += m->value[k] * x[m->col[k]];
		y[i] = sum;
	}
}

static double dot(const double *a, const double *b, int n)
{
	double s = 0;
	while (n--) s += a[n] * b[n];
	return s;
}

static int solve(const csr *m, double *x, const double *b)
{
	double *r = vec((size_t)m->n), *p = vec((size_t)m->n), *q = vec((size_t)m->n);
	int steps = 0;
	memcpy(r, b, (size_t)m->n * sizeof *r);
	memcpy(p, b, (size_t)m->n * sizeof *p);
	double rr = dot(r, r, m->n);
	for (; steps < 60 && rr > 1e-12; steps++) {
		multiply(m, p, q);
		double a = rr / dot(p, q, m->n), before = rr;
		for (int i = 0; i < m->n; i++) x[i] += a * p[i], r[i] -= a * q[i];
		rr = dot(r, r, m->n);
		for (int i = 0; i < m->n; i++) p[i] = r[i] + rr / before * p[i];
	}
	free(r), free(p), free(q);
	return steps;
}

int main(void)
{
	triplets all = {0};
	ARRAY(int) hot = {0};
	for (int y = 0; y < N - 1; y++)
		for (int x = 0; x < N - 1; x++) {
			assemble(&all, x, y);
			assemble(&all, x, y);
			if ((x ^ y) % 17 == 0) ARRAY_ADD(&hot, y * N + x);
		}
	csr m = compress(&all, N * N);
	double *b = vec(N * N), *x = vec(N * N);
	for (size_t i = 0; i < hot.count; i++) b[hot.at[i]] = 1;
	int steps = solve(&m, x, b);
	printf("%d steps, %g in the middle, %zu entries\n", steps, x[N * N / 2], all.count);
	return 0;
}
