! A forecast by an ensemble: each member is moved on, and compared with what the stations say.
module fields
   implicit none
   integer, parameter :: dp = kind(1.0d0)

   type :: field_t
      integer :: nx = 0, ny = 0
      real(dp), allocatable :: v(:, :)
   end type field_t

   type :: member_t
      type(field_t) :: pressure, wind
   end type member_t

   type :: state_ptr
      type(field_t), pointer :: p => null()
   end type state_ptr

contains

   subroutine field_make(f, nx, ny)
      type(field_t), intent(inout) :: f
      integer, intent(in) :: nx, ny
      if (allocated(f%v)) deallocate (f%v)
      allocate (f%v(nx, ny))
      f%nx = nx
      f%ny = ny
      f%v = 0
   end subroutine field_make

   subroutine field_smooth(f)
      type(field_t), intent(inout) :: f
      real(dp), allocatable :: old(:, :)
      integer :: i, j
      old = f%v
      do j = 2, f%ny - 1
         do i = 2, f%nx - 1
            f%v(i, j) = 0.2_dp*(old(i, j) + old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
         end do
      end do
   end subroutine field_smooth
end module fields

module history
   use fields
   implicit none
   type(state_ptr), allocatable :: kept(:)
   integer :: n_kept = 0

contains

   subroutine grow_list()
      type(state_ptr), allocatable :: more(:)
      if (.not. allocated(kept)) allocate (kept(16))
      if (n_kept < size(kept)) return
      allocate (more(2*size(kept)))
      more(1:n_kept) = kept(1:n_kept)
      call move_alloc(more, kept)
   end subroutine grow_list

   ! The smoother needs the last two steps, and is given all.
   subroutine keep_state(f)
      type(field_t), intent(in) :: f
      call grow_list()
      n_kept = n_kept + 1
      allocate (kept(n_kept)%p)
      call field_make(kept(n_kept)%p, f%nx, f%ny) ! guilty
      kept(n_kept)%p%v = f%v
   end subroutine keep_state

   real(dp) function trend()
      integer :: last
      last = n_kept
      trend = sum(kept(last)%p%v) - sum(kept(last - 1)%p%v)
   end function trend
end module history

program forecast
   use fields
   use history
   implicit none
   integer, parameter :: members = 24, nx = 96, ny = 64, steps = 36
   type(member_t) :: ensemble(members)
   type(field_t) :: mean
   integer :: m, step

   do m = 1, members
      call start_member(ensemble(m), m)
   end do
   do step = 1, steps
      do m = 1, members
         call advance(ensemble(m), step)
      end do
      call average(mean)
   end do
   print '(f14.4, f14.4, i8)', trend(), sum(mean%v), n_kept

contains

   subroutine start_member(e, seed)
      type(member_t), intent(inout) :: e
      integer, intent(in) :: seed
      integer :: i, j
      call field_make(e%pressure, nx, ny)
      call field_make(e%wind, nx, ny)
      do j = 1, ny
         do i = 1, nx
            e%pressure%v(i, j) = 1000 + mod(i*7 + j*seed, 31)
            e%wind%v(i, j) = mod(i + j*3 + seed, 17)
         end do
      end do
   end subroutine start_member

   subroutine advance(e, step)
      type(member_t), intent(inout) :: e
      integer, intent(in) :: step
      call field_smooth(e%pressure)
      call field_smooth(e%wind)
      e%wind%v = e%wind%v + 0.01_dp*step
      call keep_state(e%pressure)
   end subroutine advance

   subroutine average(f)
      type(field_t), intent(inout) :: f
      integer :: k
      call field_make(f, nx, ny)
      do k = 1, members
         f%v = f%v + ensemble(k)%pressure%v/members
      end do
   end subroutine average
end program forecast
