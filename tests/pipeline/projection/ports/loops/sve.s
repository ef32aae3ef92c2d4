	.arch armv8.4-a+crc+rcpc+sve+profile+rng+ssbs+i8mm+bf16
	.file	"loops.cpp"
	.text
	.align	2
	.p2align 5,,15
	.global	dot
	.type	dot, %function
dot:
.LFB976:
	.cfi_startproc
	cmp	x0, 0
	ble	.L8
	cntw	x4
	sub	x3, x0, #1
	add	x5, x4, 3
	cmp	x3, x5
	bcc	.L9
	sub	x7, x0, x4
	mov	x3, 0
	mov	z1.d, #0
	addvl	x6, x1, #1
	addvl	x5, x2, #1
	mov	z0.d, z1.d
	ptrue	p0.b, all
	.p2align 5,,15
.L4:
	ld1d	z4.d, p0/z, [x6, x3, lsl 3]
	ld1d	z5.d, p0/z, [x5, x3, lsl 3]
	ld1d	z2.d, p0/z, [x1, x3, lsl 3]
	ld1d	z3.d, p0/z, [x2, x3, lsl 3]
	add	x3, x3, x4
	fmla	z1.d, p0/m, z4.d, z5.d
	fmla	z0.d, p0/m, z2.d, z3.d
	cmp	x7, x3
	bcs	.L4
	fadd	z0.d, z0.d, z1.d
	cmp	x0, x3
	beq	.L6
.L3:
	add	x2, x2, x3, lsl 3
	cntd	x5
	sub	x0, x0, x3
	add	x4, x1, x3, lsl 3
	mov	x1, 0
	whilelo	p0.d, xzr, x0
	.p2align 5,,15
.L7:
	ld1d	z1.d, p0/z, [x4, x1, lsl 3]
	ld1d	z2.d, p0/z, [x2, x1, lsl 3]
	add	x1, x1, x5
	fmla	z0.d, p0/m, z1.d, z2.d
	whilelo	p0.d, x1, x0
	b.any	.L7
.L6:
	ptrue	p0.b, all
	faddv	d0, p0, z0.d
	ret
	.p2align 2,,3
.L8:
	movi	d0, #0
	ret
.L9:
	mov	x3, 0
	mov	z0.d, #0
	b	.L3
	.cfi_endproc
.LFE976:
	.size	dot, .-dot
	.align	2
	.p2align 5,,15
	.global	daxpy
	.type	daxpy, %function
daxpy:
.LFB977:
	.cfi_startproc
	fmov	d3, d0
	mov	x5, x0
	cmp	x0, 0
	ble	.L14
	cmp	x0, 1
	beq	.L19
	dup	v0.2d, v0.d[0]
	lsr	x4, x0, 1
	mov	x3, 0
	lsl	x4, x4, 4
	.p2align 5,,15
.L17:
	ldr	q1, [x2, x3]
	ldr	q2, [x1, x3]
	fmla	v1.2d, v2.2d, v0.2d
	str	q1, [x2, x3]
	add	x3, x3, 16
	cmp	x4, x3
	bne	.L17
	and	x0, x5, -2
	tbz	x5, 0, .L14
.L16:
	lsl	x0, x0, 3
	ldr	d0, [x2, x0]
	ldr	d1, [x1, x0]
	fmadd	d0, d3, d1, d0
	str	d0, [x2, x0]
.L14:
	ret
.L19:
	mov	x0, 0
	b	.L16
	.cfi_endproc
.LFE977:
	.size	daxpy, .-daxpy
	.align	2
	.p2align 5,,15
	.global	stencil
	.type	stencil, %function
stencil:
.LFB978:
	.cfi_startproc
	cmp	x0, 2
	ble	.L21
	add	x3, x2, 8
	add	x6, x1, 8
	ptrue	p1.b, all
	add	x5, x1, 16
	mov	x2, 0
	fmov	z4.d, #2.5e-1
	cntd	x4
	sub	x0, x0, #2
	fmov	z3.d, #5.0e-1
	whilelo	p0.d, xzr, x0
	.p2align 5,,15
.L23:
	ld1d	z2.d, p0/z, [x1, x2, lsl 3]
	ld1d	z0.d, p0/z, [x5, x2, lsl 3]
	ld1d	z1.d, p0/z, [x6, x2, lsl 3]
	fadd	z0.d, z0.d, z2.d
	fmul	z0.d, z0.d, z4.d
	fmla	z0.d, p1/m, z1.d, z3.d
	st1d	z0.d, p0, [x3, x2, lsl 3]
	add	x2, x2, x4
	whilelo	p0.d, x2, x0
	b.any	.L23
.L21:
	ret
	.cfi_endproc
.LFE978:
	.size	stencil, .-stencil
	.align	2
	.p2align 5,,15
	.global	gather
	.type	gather, %function
gather:
.LFB979:
	.cfi_startproc
	cmp	x0, 0
	ble	.L25
	mov	x4, 0
	.p2align 5,,15
.L27:
	ldrsw	x5, [x2, x4, lsl 2]
	ldr	d0, [x1, x5, lsl 3]
	fadd	d0, d0, d0
	str	d0, [x3, x4, lsl 3]
	add	x4, x4, 1
	cmp	x0, x4
	bne	.L27
.L25:
	ret
	.cfi_endproc
.LFE979:
	.size	gather, .-gather
	.align	2
	.p2align 5,,15
	.global	division
	.type	division, %function
division:
.LFB980:
	.cfi_startproc
	mov	x6, x0
	cmp	x0, 0
	ble	.L29
	cmp	x0, 1
	beq	.L34
	lsr	x5, x0, 1
	mov	x4, 0
	lsl	x5, x5, 4
	.p2align 5,,15
.L32:
	ldr	q0, [x1, x4]
	ldr	q1, [x2, x4]
	fdiv	v0.2d, v0.2d, v1.2d
	str	q0, [x3, x4]
	add	x4, x4, 16
	cmp	x4, x5
	bne	.L32
	and	x0, x6, -2
	tbz	x6, 0, .L29
.L31:
	lsl	x0, x0, 3
	ldr	d1, [x2, x0]
	ldr	d0, [x1, x0]
	fdiv	d0, d0, d1
	str	d0, [x3, x0]
.L29:
	ret
.L34:
	mov	x0, 0
	b	.L31
	.cfi_endproc
.LFE980:
	.size	division, .-division
	.align	2
	.p2align 5,,15
	.global	square_root
	.type	square_root, %function
square_root:
.LFB981:
	.cfi_startproc
	cmp	x0, 0
	ble	.L36
	sub	x3, x0, #1
	cmp	x3, 2
	bls	.L41
	lsr	x4, x0, 2
	mov	x3, 0
	lsl	x4, x4, 5
	add	x6, x1, 16
	add	x5, x2, 16
	.p2align 5,,15
.L39:
	ldr	q1, [x1, x3]
	ldr	q0, [x6, x3]
	fsqrt	v1.2d, v1.2d
	fsqrt	v0.2d, v0.2d
	str	q1, [x2, x3]
	str	q0, [x5, x3]
	add	x3, x3, 32
	cmp	x3, x4
	bne	.L39
	and	x3, x0, -4
	tst	x0, 3
	beq	.L36
.L38:
	sub	x0, x0, x3
	ptrue	p1.b, all
	whilelo	p0.d, xzr, x0
	ld1d	z0.d, p0/z, [x1, x3, lsl 3]
	fsqrt	z0.d, p1/m, z0.d
	st1d	z0.d, p0, [x2, x3, lsl 3]
	add	x1, x1, x3, lsl 3
	cntd	x4
	whilelo	p0.d, x4, x0
	add	x3, x2, x3, lsl 3
	b.any	.L43
.L36:
	ret
.L41:
	mov	x3, 0
	b	.L38
.L43:
	ld1d	z0.d, p0/z, [x1, #1, mul vl]
	fsqrt	z0.d, p1/m, z0.d
	st1d	z0.d, p0, [x3, #1, mul vl]
	ret
	.cfi_endproc
.LFE981:
	.size	square_root, .-square_root
	.align	2
	.p2align 5,,15
	.global	flux
	.type	flux, %function
flux:
.LFB982:
	.cfi_startproc
	cmp	x0, 0
	ble	.L50
	mov	x5, 7378697629483820646
	stp	d8, d9, [sp, -80]!
	.cfi_def_cfa_offset 80
	.cfi_offset 72, -80
	.cfi_offset 73, -72
	adrp	x6, .LC0
	movk	x5, 0x3ff6, lsl 48
	stp	d10, d11, [sp, 16]
	fmov	d31, 1.0e+0
	ldr	d8, [x6, #:lo12:.LC0]
	fmov	d9, 5.0e-1
	add	x7, x1, x0, lsl 3
	.cfi_offset 74, -64
	.cfi_offset 75, -56
	fmov	d10, x5
	stp	d12, d13, [sp, 32]
	stp	d14, d15, [sp, 48]
	.cfi_offset 76, -48
	.cfi_offset 77, -40
	.cfi_offset 78, -32
	.cfi_offset 79, -24
	.p2align 5,,15
.L46:
	ldp	w5, w0, [x1]
	add	x1, x1, 8
	ldp	d18, d17, [x2]
	add	x2, x2, 24
	ldr	d16, [x2, -8]
	add	w5, w5, w5, lsl 2
	add	w0, w0, w0, lsl 2
	sbfiz	x5, x5, 3, 32
	sbfiz	x0, x0, 3, 32
	add	x6, x3, x5
	ldr	d15, [x3, x5]
	add	x5, x3, x0
	ldr	d12, [x3, x0]
	ldp	d4, d7, [x5, 24]
	fdiv	d0, d31, d15
	ldp	d19, d14, [x6, 24]
	fmul	d30, d15, d9
	ldp	d6, d5, [x5, 8]
	fsub	d1, d15, d12
	fmul	d29, d12, d9
	ldp	d21, d20, [x6, 8]
	fdiv	d13, d31, d12
	fsub	d3, d14, d7
	fsub	d26, d19, d4
	fsub	d27, d20, d5
	fsub	d28, d21, d6
	stp	d1, d3, [sp, 64]
	fmul	d2, d20, d0
	fmul	d25, d21, d0
	fmul	d23, d19, d0
	fmul	d0, d0, d10
	fmul	d3, d13, d5
	fmul	d24, d13, d6
	fmul	d11, d2, d2
	fmul	d22, d13, d4
	fmul	d13, d13, d10
	fmul	d2, d17, d2
	fmul	d1, d3, d3
	fmadd	d11, d25, d25, d11
	fmul	d3, d17, d3
	fmadd	d2, d18, d25, d2
	fmadd	d1, d24, d24, d1
	fmadd	d11, d23, d23, d11
	fmadd	d3, d18, d24, d3
	fmadd	d2, d16, d23, d2
	fmadd	d1, d22, d22, d1
	fmsub	d11, d11, d30, d14
	fmadd	d3, d16, d22, d3
	fmsub	d1, d1, d29, d7
	fmul	d11, d11, d8
	fmul	d6, d6, d3
	fmul	d5, d5, d3
	fmul	d4, d4, d3
	fmul	d12, d12, d3
	fmul	d1, d1, d8
	fmul	d0, d0, d11
	fadd	d14, d14, d11
	fmadd	d6, d21, d2, d6
	fmadd	d5, d20, d2, d5
	fmadd	d4, d19, d2, d4
	fmadd	d12, d15, d2, d12
	fmul	d13, d13, d1
	fsqrt	d0, d0
	fadd	d7, d7, d1
	fadd	d1, d11, d1
	fsqrt	d13, d13
	fmul	d7, d7, d3
	fmadd	d7, d14, d2, d7
	ldp	d2, d3, [sp, 64]
	fadd	d0, d0, d13
	fmadd	d6, d28, d0, d6
	fmadd	d5, d27, d0, d5
	fmadd	d4, d26, d0, d4
	fmadd	d7, d3, d0, d7
	fmadd	d12, d2, d0, d12
	fmadd	d6, d18, d1, d6
	fmadd	d5, d17, d1, d5
	fmadd	d4, d16, d1, d4
	str	d7, [x4, 32]
	stp	d12, d6, [x4]
	stp	d5, d4, [x4, 16]
	add	x4, x4, 40
	cmp	x1, x7
	bne	.L46
	ldp	d10, d11, [sp, 16]
	ldp	d12, d13, [sp, 32]
	ldp	d14, d15, [sp, 48]
	ldp	d8, d9, [sp], 80
	.cfi_restore 73
	.cfi_restore 72
	.cfi_restore 78
	.cfi_restore 79
	.cfi_restore 76
	.cfi_restore 77
	.cfi_restore 74
	.cfi_restore 75
	.cfi_def_cfa_offset 0
	ret
	.p2align 2,,3
.L50:
	ret
	.cfi_endproc
.LFE982:
	.size	flux, .-flux
	.align	2
	.p2align 5,,15
	.global	integer
	.type	integer, %function
integer:
.LFB983:
	.cfi_startproc
	cmp	x0, 0
	ble	.L56
	mov	x2, 0
	cntd	x3
	ptrue	p0.b, all
	adrp	x4, .LC1
	whilelo	p1.d, xzr, x0
	index	z4.d, #0, #1
	add	x4, x4, :lo12:.LC1
	mov	z3.b, #0
	ld1rd	z6.d, p0/z, [x4]
	.p2align 5,,15
.L55:
	ld1d	z0.d, p1/z, [x1, x2, lsl 3]
	add	x2, x2, x3
	lsr	z2.d, z0.d, #29
	eor	z2.d, z2.d, z0.d
	and	z1.d, z4.d, z2.d
	lsl	z0.d, z2.d, #7
	movprfx	z5, z2
	mul	z5.d, p0/m, z5.d, z6.d
	incd	z4.d
	eor	z0.d, z0.d, z5.d
	eor	z0.d, z0.d, z1.d
	add	z3.d, p1/m, z3.d, z0.d
	whilelo	p1.d, x2, x0
	b.any	.L55
	uaddv	d0, p0, z3.d
	fmov	x0, d0
	mov	x1, 899
	movk	x1, 0x739d, lsl 16
	movk	x1, 0xfb0, lsl 32
	movk	x1, 0x1465, lsl 48
	add	x0, x0, x1
	ret
	.p2align 2,,3
.L56:
	mov	x0, 899
	movk	x0, 0x739d, lsl 16
	movk	x0, 0xfb0, lsl 32
	movk	x0, 0x1465, lsl 48
	ret
	.cfi_endproc
.LFE983:
	.size	integer, .-integer
	.align	2
	.p2align 5,,15
	.global	shuffle
	.type	shuffle, %function
shuffle:
.LFB984:
	.cfi_startproc
	cmp	x0, 0
	ble	.L58
	add	x0, x1, x0, lsl 5
	.p2align 5,,15
.L60:
	ldp	d1, d3, [x1, 8]
	ldr	d0, [x1, 24]
	ldr	d2, [x1], 32
	fneg	d1, d1
	fneg	d0, d0
	stp	d1, d2, [x2, 16]
	stp	d0, d3, [x2]
	add	x2, x2, 32
	cmp	x0, x1
	bne	.L60
.L58:
	ret
	.cfi_endproc
.LFE984:
	.size	shuffle, .-shuffle
	.align	2
	.p2align 5,,15
	.global	polynomial
	.type	polynomial, %function
polynomial:
.LFB985:
	.cfi_startproc
	cmp	x0, 0
	ble	.L62
	mov	x3, 0
	cntd	x4
	ptrue	p0.b, all
	adrp	x10, .LC2
	adrp	x9, .LC3
	whilelo	p1.d, xzr, x0
	adrp	x8, .LC4
	adrp	x7, .LC5
	fmov	z17.d, #5.0e-1
	adrp	x6, .LC6
	adrp	x5, .LC7
	fmov	z2.d, #1.0e+0
	add	x10, x10, :lo12:.LC2
	add	x9, x9, :lo12:.LC3
	ld1rd	z16.d, p0/z, [x10]
	add	x8, x8, :lo12:.LC4
	add	x7, x7, :lo12:.LC5
	ld1rd	z7.d, p0/z, [x9]
	add	x6, x6, :lo12:.LC6
	add	x5, x5, :lo12:.LC7
	ld1rd	z6.d, p0/z, [x8]
	ld1rd	z5.d, p0/z, [x7]
	ld1rd	z4.d, p0/z, [x6]
	ld1rd	z3.d, p0/z, [x5]
	.p2align 5,,15
.L64:
	ld1d	z1.d, p1/z, [x1, x3, lsl 3]
	movprfx	z0, z7
	fmla	z0.d, p0/m, z1.d, z16.d
	fmad	z0.d, p0/m, z1.d, z6.d
	fmad	z0.d, p0/m, z1.d, z5.d
	fmad	z0.d, p0/m, z1.d, z4.d
	fmad	z0.d, p0/m, z1.d, z3.d
	fmad	z0.d, p0/m, z1.d, z17.d
	fmad	z0.d, p0/m, z1.d, z2.d
	fmad	z0.d, p0/m, z1.d, z2.d
	st1d	z0.d, p1, [x2, x3, lsl 3]
	add	x3, x3, x4
	whilelo	p1.d, x3, x0
	b.any	.L64
.L62:
	ret
	.cfi_endproc
.LFE985:
	.size	polynomial, .-polynomial
	.section	.rodata.cst8,"aM",@progbits,8
	.align	3
.LC0:
	.word	-1717986918
	.word	1071225241
	.align	3
.LC1:
	.xword	-7046029254386353131
	.align	3
.LC2:
	.xword	4537941361671905306
	.align	3
.LC3:
	.xword	4551452160554016794
	.align	3
.LC4:
	.xword	4564047942368979991
	.align	3
.LC5:
	.xword	4575957461383581969
	.align	3
.LC6:
	.xword	4586165620538955093
	.align	3
.LC7:
	.xword	4595172819793696085
	.section	.note.GNU-stack,"",@progbits
